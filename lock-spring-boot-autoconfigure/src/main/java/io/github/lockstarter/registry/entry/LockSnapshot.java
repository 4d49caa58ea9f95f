package io.github.lockstarter.registry.entry;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;

/**
 * A lock as one instance saw it at some moment.
 *
 * @param key the lock
 * @param held the lease on it, {@code null} if it is not held by this instance
 * @param waiting the waiters for it in this instance, the next one first
 */
public record LockSnapshot(LockKey key, @Nullable Holder held, List<Waiter> waiting) {

	/**
	 * The holder in this instance.
	 *
	 * @param age how long ago it was granted
	 * @param remaining how long it lasts unless it is renewed
	 * @param fencingToken its number
	 * @param request the request that holds it, {@code null} if unknown
	 */
	public record Holder(Duration age, Duration remaining, long fencingToken, @Nullable String request) {
	}

	/**
	 * A waiter.
	 *
	 * @param age how long ago it came
	 * @param request the request that waits, {@code null} if unknown
	 */
	public record Waiter(Duration age, @Nullable String request) {
	}

}
