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
	 * @param remaining the remaining time of its lease if it is neither renewed nor
	 * released; at most 365 days; zero if it is unknown
	 * @param fencingToken at least the fencing token of the holder, and less than that of
	 * any later grant; zero if it is unknown
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
	 * A stored result matches the {@linkplain AcquireCommand#query() query}, so the lock
	 * was not granted.
	 *
	 * @param result the result
	 * @param age the time since it was stored, rounded up to the time unit of the store
	 */
	record Found(StoredResult result, Duration age) implements AcquireResult {
	}

	/**
	 * The {@linkplain AcquireCommand#predecessor() predecessor} no longer held the lock,
	 * and nothing was changed.
	 */
	record PredecessorLost() implements AcquireResult {
	}

}
