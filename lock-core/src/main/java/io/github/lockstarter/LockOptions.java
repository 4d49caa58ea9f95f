package io.github.lockstarter;

import java.time.Duration;

import org.springframework.util.Assert;

import static org.springframework.format.annotation.DurationFormat.Style.COMPOSITE;
import static org.springframework.format.datetime.standard.DurationFormatterUtils.print;

/**
 * Options for acquiring a lock.
 *
 * @param ttl the time to live: the time after which the lock of a crashed holder expires;
 * 1 ms to 365 days, in whole milliseconds. A running holder renews the lock after a third
 * of this time.
 * @param waitTime the longest time to wait for a lock that is held; 0 to 365 days
 * @param maxHold the longest time for which the lock is held, including renewals;
 * {@code ttl} to 365 days, in whole milliseconds. If it equals the {@code ttl}, the lock
 * is not renewed.
 * @param holdAtLeast the shortest time for which the lock stays unavailable to others,
 * counted from its grant, even if its holder releases it earlier; 0 to {@code ttl}
 */
public record LockOptions(Duration ttl, Duration waitTime, Duration maxHold, Duration holdAtLeast) {

	private static final Duration SHORTEST = Duration.ofMillis(1);

	private static final Duration LONGEST = Duration.ofDays(365);

	private static final Duration DEFAULT_MAX_HOLD = Duration.ofMinutes(5);

	/**
	 * Creates options.
	 * @throws IllegalArgumentException if a time is out of range
	 */
	public LockOptions {
		Assert.isTrue(ttl.compareTo(SHORTEST) >= 0 && ttl.compareTo(LONGEST) <= 0,
				"The time to live (ttl) must be at least 1ms and at most 365d");
		Assert.isTrue(!waitTime.isNegative() && waitTime.compareTo(LONGEST) <= 0,
				"The wait time must be at least 0s and at most 365d");
		if (maxHold.compareTo(ttl) < 0 || maxHold.compareTo(LONGEST) > 0) {
			throw new IllegalArgumentException(
					"The longest hold (max-hold) must be at least the time to live (ttl), %s, and at most 365d, not %s"
						.formatted(print(ttl, COMPOSITE), print(maxHold, COMPOSITE)));
		}
		if (holdAtLeast.isNegative() || holdAtLeast.compareTo(ttl) > 0) {
			throw new IllegalArgumentException(
					"The shortest hold (hold-at-least) must be at least 0s and at most the time to live (ttl), %s, not %s: if the holder dies, the lock is free after the ttl"
						.formatted(print(ttl, COMPOSITE), print(holdAtLeast, COMPOSITE)));
		}
		// Stores count in milliseconds: with a finer unit, a holder would count on its
		// lease for too long.
		ttl = Duration.ofMillis(ttl.toMillis());
		maxHold = Duration.ofMillis(maxHold.toMillis());
	}

	/**
	 * Returns options without a wait, and with renewals for at most 5 minutes, or for the
	 * {@code ttl} if that is longer.
	 * @param ttl the time after which the lock of a crashed holder expires
	 * @return the options
	 * @throws IllegalArgumentException if the time is out of range
	 */
	public static LockOptions of(Duration ttl) {
		return new LockOptions(ttl, Duration.ZERO, (ttl.compareTo(DEFAULT_MAX_HOLD) > 0) ? ttl : DEFAULT_MAX_HOLD,
				Duration.ZERO);
	}

	/**
	 * Returns these options with another wait time.
	 * @param waitTime the longest time to wait
	 * @return the options
	 * @throws IllegalArgumentException if the time is out of range
	 */
	public LockOptions withWaitTime(Duration waitTime) {
		return new LockOptions(this.ttl, waitTime, this.maxHold, this.holdAtLeast);
	}

	/**
	 * Returns these options with another limit for renewals.
	 * @param maxHold the longest time for which the lock is held
	 * @return the options
	 * @throws IllegalArgumentException if the time is out of range
	 */
	public LockOptions withMaxHold(Duration maxHold) {
		return new LockOptions(this.ttl, this.waitTime, maxHold, this.holdAtLeast);
	}

	/**
	 * Returns these options with a minimum hold time, for work that is due once per
	 * interval on instances whose clocks differ.
	 * @param holdAtLeast the shortest time for which the lock stays unavailable to others
	 * @return the options
	 * @throws IllegalArgumentException if the time is negative, or longer than the time
	 * to live
	 */
	public LockOptions withHoldAtLeast(Duration holdAtLeast) {
		return new LockOptions(this.ttl, this.waitTime, this.maxHold, holdAtLeast);
	}

	/**
	 * Returns these options without renewals: the lock is held for at most the
	 * {@code ttl}.
	 * @return the options
	 */
	public LockOptions withoutRenewal() {
		return withMaxHold(this.ttl);
	}

}
