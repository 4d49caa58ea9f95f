package io.github.lockstarter.store;

import java.time.Duration;

/**
 * Which results of a lock count for somebody who asks for it: those of the holder he met
 * and of whoever followed, and those that are young enough. While a result is kept, the
 * first is exact, however slow the store is, and whatever its clock says.
 *
 * @param slot where they are
 * @param since the fencing token from which on results count; {@link #ANYBODY} for all,
 * {@link #NOBODY} for none
 * @param maxAge results that are no older count, too; zero for none
 */
public record WantedResults(ResultSlot slot, long since, Duration maxAge) {

	/** Whoever left a result, it counts. */
	public static final long ANYBODY = 0;

	/** No holder is known whose result counts. */
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
	public boolean includes(LeftResult result, Duration age) {
		boolean young = !this.maxAge.isZero() && age.compareTo(this.maxAge) <= 0;
		return result.slot().name().equals(this.slot.name()) && (young || result.fencingToken() >= this.since);
	}

}
