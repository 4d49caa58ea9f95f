package io.github.lockstarter;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;

/**
 * The store could not be asked, or did not answer in time: status 503. Whether the lock
 * is held is unknown; the caller does not hold it.
 */
public class LockStoreException extends LockException {

	public LockStoreException(LockKey key, String message, @Nullable Throwable cause) {
		super(HttpStatus.SERVICE_UNAVAILABLE, "lock-store-unavailable", key.name(),
				"Lock '%s': %s".formatted(key.name(), message), cause);
	}

	/**
	 * Returns one second: how long the store is unavailable is unknown, but it is not
	 * worth asking again at once.
	 */
	@Override
	public Duration getRetryAfter() {
		return Duration.ofSeconds(1);
	}

}
