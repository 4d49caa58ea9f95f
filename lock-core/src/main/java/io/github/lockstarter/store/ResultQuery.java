package io.github.lockstarter.store;

import java.time.Duration;

/**
 * Selects the results that a caller accepts: the results of the holder for which the
 * caller waited and of later holders, and results that are recent enough. While a result
 * is kept, the first condition is exact, even if the store is slow or its clock is wrong.
 *
 * @param key identifies the results
 * @param since the lowest fencing token whose result is accepted; {@link #ANY_TOKEN} for
 * all, {@link #NO_TOKEN} for none
 * @param maxAge the age up to which other results are accepted, too; zero for none
 */
public record ResultQuery(ResultKey key, long since, Duration maxAge) {

	/** The result of every holder is accepted. */
	public static final long ANY_TOKEN = 0;

	/** No holder is known whose result is accepted. */
	public static final long NO_TOKEN = Long.MAX_VALUE;

	/** Returns whether any result can match. */
	public boolean canMatch() {
		return this.since != NO_TOKEN || !this.maxAge.isZero();
	}

	/**
	 * Returns whether a result is accepted.
	 * @param result the result
	 * @param age the age of the result
	 */
	public boolean matches(StoredResult result, Duration age) {
		boolean young = !this.maxAge.isZero() && age.compareTo(this.maxAge) <= 0;
		return result.key().name().equals(this.key.name()) && (young || result.fencingToken() >= this.since);
	}

}
