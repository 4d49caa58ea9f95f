package io.github.lockstarter.store;

import java.time.Duration;

/**
 * A store's answer to an attempt to take a lock.
 */
public sealed interface AcquireResult {

	/**
	 * The lock was free and is taken.
	 *
	 * @param fencingToken larger than that of every earlier grant of the same key
	 */
	record Granted(long fencingToken) implements AcquireResult {
	}

	/**
	 * Somebody else holds the lock.
	 *
	 * @param remaining how long that lease lasts if it is neither renewed nor released
	 */
	record Busy(Duration remaining) implements AcquireResult {
	}

}
