package io.github.lockstarter;

import org.springframework.http.HttpStatus;

/**
 * The request has no value for the key, or a blank one: status 400. It is refused,
 * because one lock for all requests without a value would be worse.
 */
public class MissingLockKeyException extends LockException {

	public MissingLockKeyException(String lockName) {
		super(HttpStatus.BAD_REQUEST, "key-missing", lockName,
				"The key of lock '%s' is null or blank".formatted(lockName), null);
	}

}
