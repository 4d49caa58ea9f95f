package io.github.lockstarter;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;

/**
 * Thrown when a lock was neither granted nor rejected: the store is unavailable or did
 * not answer in time, the registry is closed, the thread was interrupted, or a lease was
 * lost while the caller waited for other locks. The caller does not hold the lock;
 * whether another caller holds it is unknown. The response has status 503.
 */
public class LockStoreException extends LockException {

	/**
	 * Creates the exception.
	 * @param key the lock
	 * @param message what failed, without the key; it follows the name of the lock, as in
	 * {@code Lock 'orders': the connection was closed}
	 * @param cause the cause, if any
	 */
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
