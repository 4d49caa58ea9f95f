package io.github.lockstarter.benchmarks.workload;

/**
 * Something to measure.
 */
public interface Workload {

	/** Measures it, and reports. */
	void run(Run run) throws Exception;

}
