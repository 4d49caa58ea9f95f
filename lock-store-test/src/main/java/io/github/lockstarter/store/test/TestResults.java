package io.github.lockstarter.store.test;

import java.time.Duration;

import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.ResultQuery;
import io.github.lockstarter.store.StoredResult;

/**
 * Results of holders whose fencing tokens do not matter.
 */
public final class TestResults {

	private TestResults() {
	}

	/** Returns a result as a holder stores it. */
	public static StoredResult stored(ResultKey key, String text) {
		return new StoredResult(key, text, 1);
	}

	/** Returns the query of a caller that has met no holder. */
	public static ResultQuery query(ResultKey key, Duration maxAge) {
		return new ResultQuery(key, ResultQuery.NO_TOKEN, maxAge);
	}

}
