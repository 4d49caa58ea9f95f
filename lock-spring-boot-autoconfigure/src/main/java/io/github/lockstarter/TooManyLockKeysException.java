package io.github.lockstarter;

import org.springframework.http.HttpStatus;

/**
 * The request needs more locks than a call may have: status 400. Nothing was locked.
 */
public class TooManyLockKeysException extends LockException {

	/**
	 * Creates the exception.
	 * @param lockName the name of the locks
	 * @param limit how many a call may have
	 */
	public TooManyLockKeysException(String lockName, int limit) {
		super(HttpStatus.BAD_REQUEST, "too-many-keys", lockName,
				"A call needs more than %d locks '%s', the limit of lock.max-keys".formatted(limit, lockName), null);
	}

}
