package io.github.lockstarter.recipes;

/**
 * The reports that {@link NightlyReport} writes.
 */
interface Reports {

	/** Writes the report of yesterday. */
	void writeYesterday();

}
