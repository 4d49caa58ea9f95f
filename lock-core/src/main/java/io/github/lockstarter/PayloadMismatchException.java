package io.github.lockstarter;

import org.springframework.http.HttpStatus;

/**
 * Thrown when the key of a replayed request, or of idempotent work, was used before with
 * other arguments. The method has not run, and the earlier result is not returned. The
 * response has status 422.
 */
public class PayloadMismatchException extends LockException {

	/**
	 * Creates the exception.
	 * @param lockName the name of the lock
	 */
	public PayloadMismatchException(String lockName) {
		super(HttpStatus.UNPROCESSABLE_CONTENT, "payload-mismatch", lockName,
				"The key of lock '%s' was used before with other arguments".formatted(lockName), null);
	}

}
