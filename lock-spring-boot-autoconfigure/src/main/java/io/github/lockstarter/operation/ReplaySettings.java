package io.github.lockstarter.operation;

import org.springframework.util.Assert;

import io.github.lockstarter.key.Fingerprint;
import io.github.lockstarter.result.KeptResponses;

/**
 * The default settings of replays.
 *
 * @param keep selects the responses that are kept
 * @param maxKeyLength the largest number of characters of an {@code Idempotency-Key}
 * @param fingerprint makes the digests that are stored with a result
 * @param anonymous what happens to requests without a principal
 */
public record ReplaySettings(KeptResponses keep, int maxKeyLength, Fingerprint fingerprint, AnonymousReplay anonymous) {

	/**
	 * Checks the largest length of a key.
	 * @throws IllegalArgumentException if it is out of range
	 */
	public static void checkKeyLength(int length) {
		Assert.isTrue(length >= 1 && length <= 8192,
				"The longest key must have at least 1 character, and at most 8192");
	}

}
