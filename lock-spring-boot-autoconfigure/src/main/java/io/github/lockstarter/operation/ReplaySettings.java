package io.github.lockstarter.operation;

import org.springframework.util.Assert;

import io.github.lockstarter.result.KeptAnswers;

/**
 * The settings of replays that hold where an annotation has none.
 *
 * @param keep which answers are kept
 * @param maxKeyLength how many characters an {@code Idempotency-Key} may have
 */
public record ReplaySettings(KeptAnswers keep, int maxKeyLength) {

	/**
	 * Checks how long a key may be.
	 * @throws IllegalArgumentException if it is out of range
	 */
	public static void checkKeyLength(int length) {
		Assert.isTrue(length >= 1 && length <= 8192,
				"A key must be allowed to have at least 1 character, and at most 8192");
	}

}
