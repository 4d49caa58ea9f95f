package io.github.lockstarter.benchmarks.workload;

/**
 * A measurement.
 */
public interface Workload {

	/** Measures, and adds the results to the report. */
	void run(Run run) throws Exception;

}
