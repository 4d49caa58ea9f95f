package io.github.lockstarter;

import org.springframework.http.HttpStatus;

/**
 * Thrown when a request has no value for the key or for a part of it, or a blank one.
 * Such requests are rejected, so that they do not all share one lock. The response has
 * status 400.
 */
public class MissingLockKeyException extends LockException {

	/**
	 * Creates the exception.
	 * @param lockName the name of the lock
	 */
	public MissingLockKeyException(String lockName) {
		this(lockName, "The key of lock '%s', or a part of it, is null, empty or blank".formatted(lockName));
	}

	private MissingLockKeyException(String lockName, String message) {
		super(HttpStatus.BAD_REQUEST, "key-missing", lockName, message, null);
	}

	/**
	 * Returns the exception for a key that reads the HTTP request, and a call that
	 * belongs to none.
	 * @param lockName the name of the lock
	 * @return the exception
	 */
	public static MissingLockKeyException outsideOfRequest(String lockName) {
		return new MissingLockKeyException(lockName,
				"The key of lock '%s' reads the HTTP request, but this call belongs to none".formatted(lockName));
	}

	/**
	 * Returns the exception for a replay that is only for requests with a principal, and
	 * a request without one.
	 * @param lockName the name of the lock
	 * @return the exception
	 */
	public static MissingLockKeyException withoutPrincipal(String lockName) {
		return new MissingLockKeyException(lockName,
				"Responses under lock '%s' are replayed, but the request has no principal, and lock.replay.anonymous is 'reject'"
					.formatted(lockName));
	}

	/**
	 * Returns the exception for a key that reads the principal, and a call outside of a
	 * request whose user is not known.
	 * @param lockName the name of the lock
	 * @return the exception
	 */
	public static MissingLockKeyException withoutUser(String lockName) {
		return new MissingLockKeyException(lockName,
				"The key of lock '%s' reads the principal, but no user is known: the call belongs to no request, and the SecurityContextHolder has none"
					.formatted(lockName));
	}

}
