package io.github.lockstarter;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;

/**
 * Thrown when the store is unavailable or did not answer in time. The caller does not
 * hold the lock; whether another caller holds it is unknown. Answered with status 503.
 */
public class LockStoreException extends LockException {

	public LockStoreException(LockKey key, String message, @Nullable Throwable cause) {
		super(HttpStatus.SERVICE_UNAVAILABLE, "lock-store-unavailable", key.name(),
				"Lock '%s': %s".formatted(key.name(), message), cause);
	}

	/**
	 * Returns one second: the duration of the outage is unknown, and an immediate retry
	 * is unlikely to succeed.
	 */
	@Override
	public Duration getRetryAfter() {
		return Duration.ofSeconds(1);
	}

}
