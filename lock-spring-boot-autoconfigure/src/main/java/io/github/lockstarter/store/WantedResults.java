package io.github.lockstarter.store;

import java.time.Duration;

/**
 * Which results of a lock count for somebody who asks for it: those that came since he
 * met a holder, and those that are young enough. Of these the first is exact, however
 * long the question is under way and whatever the clocks say.
 *
 * @param slot where they are
 * @param since the fencing token of the holder he met: its result counts, and that of all
 * who followed; {@link #NOBODY} if he met none
 * @param maxAge results that are no older count, too; zero for none
 */
public record WantedResults(ResultSlot slot, long since, Duration maxAge) {

	/** Stands for a holder that is not known: no result counts on its account. */
	public static final long NOBODY = Long.MAX_VALUE;

	/** Returns whether any result can count. */
	public boolean mayBeThere() {
		return this.since != NOBODY || !this.maxAge.isZero();
	}

	/**
	 * Returns whether a result counts.
	 * @param result the result
	 * @param age how old it is
	 */
	public boolean include(LeftResult result, Duration age) {
		boolean young = !this.maxAge.isZero() && age.compareTo(this.maxAge) <= 0;
		return result.slot().name().equals(this.slot.name()) && (young || result.fencingToken() >= this.since);
	}

}
