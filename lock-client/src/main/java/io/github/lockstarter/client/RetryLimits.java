package io.github.lockstarter.client;

import java.time.Duration;

import org.springframework.util.Assert;

/**
 * The limits for the attempts of a request.
 *
 * @param maxAttempts the largest number of attempts, including the first one; 1 for no
 * repetition
 * @param maxTime the longest time from the start of the first attempt to the start of the
 * last one; 1 ms to 1 day. An attempt that has begun is not interrupted.
 */
public record RetryLimits(int maxAttempts, Duration maxTime) {

	private static final Duration SHORTEST = Duration.ofMillis(1);

	private static final Duration LONGEST = Duration.ofDays(1);

	/** The default limits: 5 attempts within 30 seconds. */
	public static final RetryLimits DEFAULT = new RetryLimits(5, Duration.ofSeconds(30));

	/**
	 * Creates limits.
	 * @throws IllegalArgumentException if a limit is out of range
	 */
	public RetryLimits {
		Assert.isTrue(maxAttempts >= 1, "There must be at least one attempt");
		Assert.isTrue(maxTime.compareTo(SHORTEST) >= 0 && maxTime.compareTo(LONGEST) <= 0,
				"The time for all attempts must be at least 1ms and at most 1d");
	}

	/**
	 * Returns these limits with another number of attempts.
	 * @param maxAttempts the largest number of attempts, including the first one
	 * @return the limits
	 * @throws IllegalArgumentException if the number is out of range
	 */
	public RetryLimits withMaxAttempts(int maxAttempts) {
		return new RetryLimits(maxAttempts, this.maxTime);
	}

	/**
	 * Returns these limits with another time.
	 * @param maxTime the longest time from the start of the first attempt to the start of
	 * the last one
	 * @return the limits
	 * @throws IllegalArgumentException if the time is out of range
	 */
	public RetryLimits withMaxTime(Duration maxTime) {
		return new RetryLimits(this.maxAttempts, maxTime);
	}

}
