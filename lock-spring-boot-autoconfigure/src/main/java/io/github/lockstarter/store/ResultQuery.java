package io.github.lockstarter.store;

import java.time.Duration;

/**
 * The results of a lock that count for a caller: the one of the holder that the caller
 * met and those of later holders, and those that are young enough. While a result is
 * kept, the first condition is exact, however slow the store is, and whatever its clock
 * says.
 *
 * @param key which results
 * @param since the fencing token from which on results count; {@link #ANYBODY} for all,
 * {@link #NOBODY} for none
 * @param maxAge results that are no older count, too; zero for none
 */
public record ResultQuery(ResultKey key, long since, Duration maxAge) {

	/** The result of every holder counts. */
	public static final long ANYBODY = 0;

	/** No holder is known whose result counts. */
	public static final long NOBODY = Long.MAX_VALUE;

	/** Returns whether any result can count. */
	public boolean canMatch() {
		return this.since != NOBODY || !this.maxAge.isZero();
	}

	/**
	 * Returns whether a result counts.
	 * @param result the result
	 * @param age how old it is
	 */
	public boolean matches(StoredResult result, Duration age) {
		boolean young = !this.maxAge.isZero() && age.compareTo(this.maxAge) <= 0;
		return result.key().name().equals(this.key.name()) && (young || result.fencingToken() >= this.since);
	}

}
