package io.github.lockstarter.registry.entry;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;

/**
 * The state of a lock in one instance at one moment.
 *
 * @param key the lock
 * @param held the holder in this instance; {@code null} if this instance does not hold
 * the lock
 * @param waiting the waiters in this instance, the next one first
 */
public record LockSnapshot(LockKey key, @Nullable Holder held, List<Waiter> waiting) {

	/**
	 * The holder in this instance.
	 *
	 * @param age the time since the grant
	 * @param remaining the remaining time of the lease, if it is not renewed
	 * @param fencingToken the fencing token of the lease
	 * @param request the request that holds the lock; {@code null} if unknown
	 */
	public record Holder(Duration age, Duration remaining, long fencingToken, @Nullable String request) {
	}

	/**
	 * A waiter.
	 *
	 * @param age the time since its arrival
	 * @param request the request that waits; {@code null} if unknown
	 */
	public record Waiter(Duration age, @Nullable String request) {
	}

}
