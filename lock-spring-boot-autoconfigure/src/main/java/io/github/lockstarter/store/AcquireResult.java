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
	 * There is a result of what was done under the lock before, so it was not taken.
	 *
	 * @param result the result
	 * @param age how long ago it came, rounded up to what the store counts in
	 */
	record Found(LeftResult result, Duration age) implements AcquireResult {
	}

	/**
	 * Somebody else holds the lock.
	 *
	 * @param remaining how long that lease lasts if it is neither renewed nor released;
	 * zero if nobody knows; at most 365 days
	 * @param fencingToken no less than the one it was granted with, and less than any
	 * that is granted later; zero if the store does not tell
	 */
	record Busy(Duration remaining, long fencingToken) implements AcquireResult {

		private static final Duration LONGEST = Duration.ofDays(365);

		public Busy {
			remaining = remaining.isNegative() ? Duration.ZERO
					: (remaining.compareTo(LONGEST) > 0) ? LONGEST : remaining;
		}

		/** Tells nothing of the holder's fencing token. */
		public Busy(Duration remaining) {
			this(remaining, 0);
		}

	}

}
