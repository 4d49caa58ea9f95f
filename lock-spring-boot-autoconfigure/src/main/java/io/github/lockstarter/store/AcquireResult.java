package io.github.lockstarter.store;

import java.time.Duration;

/**
 * A store's answer to an {@link AcquireCommand}.
 */
public sealed interface AcquireResult {

	/**
	 * The lock was free and is granted.
	 *
	 * @param fencingToken larger than that of every earlier grant of the same lock
	 */
	record Granted(long fencingToken) implements AcquireResult {
	}

	/**
	 * Another owner holds the lock.
	 *
	 * @param remaining how long that lease lasts if it is neither renewed nor released;
	 * zero if that is unknown; at most 365 days
	 * @param fencingToken no less than the one it was granted with, and less than any
	 * that is granted later; zero if it is unknown
	 */
	record Held(Duration remaining, long fencingToken) implements AcquireResult {

		private static final Duration LONGEST = Duration.ofDays(365);

		public Held {
			remaining = remaining.isNegative() ? Duration.ZERO
					: (remaining.compareTo(LONGEST) > 0) ? LONGEST : remaining;
		}

		/** The holder's fencing token is unknown. */
		public Held(Duration remaining) {
			this(remaining, 0);
		}

	}

	/**
	 * There is a result that the {@linkplain AcquireCommand#query() query} matches, so
	 * the lock was not granted.
	 *
	 * @param result the result
	 * @param age how long ago it was stored, rounded up to what the store counts in
	 */
	record Found(StoredResult result, Duration age) implements AcquireResult {
	}

	/**
	 * The {@linkplain AcquireCommand#predecessor() predecessor} did not hold the lock any
	 * more, and nothing was done.
	 */
	record PredecessorGone() implements AcquireResult {
	}

}
