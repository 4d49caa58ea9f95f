package io.github.lockstarter;

import java.time.Duration;
import java.util.Set;

import org.springframework.util.Assert;

/**
 * How a lock is to be taken.
 *
 * @param ttl how long the lock is held at most if nobody releases it; 1 ms to 365 days,
 * in whole milliseconds
 * @param waitTime how long to wait for a lock that somebody else holds; 0 to 365 days
 * @param conflictStatus the HTTP status of the {@link LockConflictException} when it is
 * not granted; 409, 422, 423 or 429
 */
public record LockOptions(Duration ttl, Duration waitTime, int conflictStatus) {

	private static final Duration SHORTEST = Duration.ofMillis(1);

	private static final Duration LONGEST = Duration.ofDays(365);

	private static final Set<Integer> CONFLICT_STATUSES = Set.of(409, 422, 423, 429);

	public LockOptions {
		Assert.isTrue(ttl.compareTo(SHORTEST) >= 0 && ttl.compareTo(LONGEST) <= 0,
				"A time to live must be at least 1ms and at most 365d");
		Assert.isTrue(!waitTime.isNegative() && waitTime.compareTo(LONGEST) <= 0,
				"A wait must not be negative and be at most 365d");
		Assert.isTrue(CONFLICT_STATUSES.contains(conflictStatus), "A conflict is answered with 409, 422, 423 or 429");
		// Stores count in milliseconds; a holder that counted more would believe too
		// long.
		ttl = Duration.ofMillis(ttl.toMillis());
	}

	/**
	 * Returns options that hold for the given time at most, do not wait, and answer a
	 * conflict with 409.
	 * @param ttl how long the lock is held at most
	 * @return the options
	 * @throws IllegalArgumentException if the time is out of range
	 */
	public static LockOptions of(Duration ttl) {
		return new LockOptions(ttl, Duration.ZERO, 409);
	}

	/**
	 * Returns these options with another wait time.
	 * @param waitTime how long to wait
	 * @return the options
	 * @throws IllegalArgumentException if the time is out of range
	 */
	public LockOptions withWaitTime(Duration waitTime) {
		return new LockOptions(this.ttl, waitTime, this.conflictStatus);
	}

	/**
	 * Returns these options with another status for a conflict.
	 * @param conflictStatus the status
	 * @return the options
	 * @throws IllegalArgumentException if it is none of 409, 422, 423 and 429
	 */
	public LockOptions withConflictStatus(int conflictStatus) {
		return new LockOptions(this.ttl, this.waitTime, conflictStatus);
	}

}
