package io.github.lockstarter.store;

import java.time.Duration;
import java.util.function.Predicate;

import io.github.lockstarter.registry.sharing.SharingRegistry.LeaseOrResult;

/**
 * Results of holders whose fencing tokens do not matter.
 */
public final class TokenlessResults {

	private TokenlessResults() {
	}

	/** Returns a result as a holder stores it. */
	public static StoredResult stored(ResultKey key, String text) {
		return new StoredResult(key, text, 1);
	}

	/** Matches an acquisition with this result instead of the lock. */
	public static Predicate<LeaseOrResult> gives(String text) {
		return (acquired) -> acquired.result() != null && acquired.result().text().equals(text);
	}

	/** Returns the query of a caller that has met no holder. */
	public static ResultQuery query(ResultKey key, Duration maxAge) {
		return new ResultQuery(key, ResultQuery.NO_TOKEN, maxAge);
	}

}
