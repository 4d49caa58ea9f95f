package io.github.lockstarter.store;

import org.springframework.util.Assert;

/**
 * Limits the results that a {@link io.github.lockstarter.store.memory.MemoryLockStore}
 * keeps for later duplicates.
 *
 * @param results the largest number of results
 * @param bytes the most memory that they use, estimated at no less than they do: two
 * bytes for each character, and half a kilobyte for each result
 */
public record ResultLimits(int results, long bytes) {

	private static final int TENTH = 10;

	/**
	 * Creates limits.
	 * @throws IllegalArgumentException if one of them is not positive
	 */
	public ResultLimits {
		Assert.isTrue(results > 0 && bytes > 0, "The limits of results must be positive");
	}

	/** Returns the default limits: 100,000 results in a tenth of the largest heap. */
	public static ResultLimits defaults() {
		return new ResultLimits(100_000, tenthOfHeap());
	}

	/** Returns a tenth of the largest heap of this JVM, in bytes. */
	public static long tenthOfHeap() {
		return Runtime.getRuntime().maxMemory() / TENTH;
	}

}
