package io.github.lockstarter.recipes;

/**
 * The sales that {@link ReportController} sums up.
 */
interface Sales {

	/** Returns the sum of a year, after a long time. */
	long sum(int year);

}
