package io.github.lockstarter;

import org.springframework.http.HttpStatus;

/**
 * The key of a request that is replayed was used before with other arguments: status 422.
 * Nothing was done, and the earlier result is not shown.
 */
public class PayloadMismatchException extends LockException {

	public PayloadMismatchException(String lockName) {
		super(HttpStatus.UNPROCESSABLE_CONTENT, "payload-mismatch", lockName,
				"The key of lock '%s' was used before with other arguments".formatted(lockName), null);
	}

}
