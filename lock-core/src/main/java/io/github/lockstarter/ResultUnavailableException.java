package io.github.lockstarter;

import org.springframework.http.HttpStatus;

/**
 * Thrown when the key of a replayed call, or of idempotent work, was used before, and the
 * result of the earlier call cannot be given: it was not kept, for example because it was
 * too large, or it was stored by another version of the application. The earlier call has
 * done its work, so the work does not run again. The response has status 409, without a
 * {@code Retry-After}: a repetition receives the same response until the replay expires.
 */
public class ResultUnavailableException extends LockException {

	/**
	 * Creates the exception.
	 * @param lockName the name of the lock
	 */
	public ResultUnavailableException(String lockName) {
		super(HttpStatus.CONFLICT, "result-unavailable", lockName,
				"The key of lock '%s' was used before, and the result of the earlier call is not available"
					.formatted(lockName),
				null);
	}

}
