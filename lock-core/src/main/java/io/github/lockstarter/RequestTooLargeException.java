package io.github.lockstarter;

import org.springframework.http.HttpStatus;

/**
 * Thrown when the body of a request is larger than {@code lock.replay.max-request-size},
 * so that it cannot be compared with that of an earlier request. The method has not run.
 * The response has status 413.
 */
public class RequestTooLargeException extends LockException {

	/**
	 * Creates the exception.
	 * @param lockName the name of the lock
	 */
	public RequestTooLargeException(String lockName) {
		super(HttpStatus.CONTENT_TOO_LARGE, "request-too-large", lockName,
				"The body of a request for lock '%s' is larger than lock.replay.max-request-size".formatted(lockName),
				null);
	}

}
