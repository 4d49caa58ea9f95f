package io.github.lockstarter.testing;

import java.time.Duration;
import java.util.function.Predicate;

import io.github.lockstarter.share.SharingRegistry.Acquisition;
import io.github.lockstarter.store.LeftResult;
import io.github.lockstarter.store.ResultSlot;
import io.github.lockstarter.store.WantedResults;

/**
 * Results of those whose fencing tokens do not matter.
 */
public final class TestResults {

	private TestResults() {
	}

	/** Returns what a holder leaves. */
	public static LeftResult left(ResultSlot slot, String text) {
		return new LeftResult(slot, text, 1);
	}

	/** Matches who is given that result instead of the lock. */
	public static Predicate<Acquisition> gives(String text) {
		return (acquired) -> acquired.result() != null && acquired.result().text().equals(text);
	}

	/** Returns what somebody wants who has met no holder. */
	public static WantedResults wanted(ResultSlot slot, Duration maxAge) {
		return new WantedResults(slot, WantedResults.NOBODY, maxAge);
	}

}
