package io.github.lockstarter;

import org.springframework.http.HttpStatus;

/**
 * Thrown when the {@code Idempotency-Key} header of a request is not a valid key. The
 * method has not run. The response has status 400.
 */
public class InvalidIdempotencyKeyException extends LockException {

	/**
	 * Creates the exception.
	 * @param lockName the name of the lock
	 * @param reason why the key is not valid
	 */
	public InvalidIdempotencyKeyException(String lockName, Reason reason) {
		super(HttpStatus.BAD_REQUEST, reason.problem, lockName,
				"The Idempotency-Key of a request for lock '%s' %s".formatted(lockName, reason.text), null);
	}

	/**
	 * Why a header is not a valid key. Each reason has its own problem type.
	 */
	public enum Reason {

		/** The header has no characters, or only spaces. */
		EMPTY("key-empty", "is empty"),

		/** The request has several such headers. */
		REPEATED("key-repeated", "was sent more than once"),

		/**
		 * The value is neither a string as in RFC 8941 nor a single word of visible
		 * ASCII.
		 */
		MALFORMED("key-malformed", "is neither a string in double quotes nor a single word"),

		/** The key has more characters than {@code lock.replay.max-key-length}. */
		TOO_LONG("key-too-long", "is longer than lock.replay.max-key-length");

		private final String problem;

		private final String text;

		Reason(String problem, String text) {
			this.problem = problem;
			this.text = text;
		}

	}

}
