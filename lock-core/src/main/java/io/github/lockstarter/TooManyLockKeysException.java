package io.github.lockstarter;

import org.springframework.http.HttpStatus;

/**
 * Thrown when a request needs more locks than a call may have. No lock was acquired. The
 * response has status 400.
 */
public class TooManyLockKeysException extends LockException {

	/**
	 * Creates the exception.
	 * @param lockName the name of the locks
	 * @param limit the largest number of locks per call
	 */
	public TooManyLockKeysException(String lockName, int limit) {
		super(HttpStatus.BAD_REQUEST, "too-many-keys", lockName,
				"A call needs more than %d locks with the name '%s'. Send fewer keys, or raise lock.max-keys"
					.formatted(limit, lockName),
				null);
	}

}
