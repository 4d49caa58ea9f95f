package io.github.lockstarter;

import org.springframework.http.HttpStatus;

/**
 * The {@code Idempotency-Key} header of the request is not a key: status 400. Nothing was
 * done.
 */
public class InvalidIdempotencyKeyException extends LockException {

	public InvalidIdempotencyKeyException(String lockName, Reason reason) {
		super(HttpStatus.BAD_REQUEST, reason.problem, lockName,
				"The Idempotency-Key of a request for lock '%s' %s".formatted(lockName, reason.text), null);
	}

	/**
	 * Why a header is not a key. Each has a problem type of its own.
	 */
	public enum Reason {

		/** It has no characters, or only spaces. */
		EMPTY("key-empty", "is empty"),

		/** There are several headers. */
		REPEATED("key-repeated", "was sent more than once"),

		/** It is neither a string of RFC 8941 nor a single word of visible ASCII. */
		MALFORMED("key-malformed", "is not a string"),

		/** It has more characters than {@code lock.replay.max-key-length}. */
		TOO_LONG("key-too-long", "is too long");

		private final String problem;

		private final String text;

		Reason(String problem, String text) {
			this.problem = problem;
			this.text = text;
		}

	}

}
