package io.github.lockstarter.benchmarks.measure;

import java.io.Serializable;

/**
 * A task for another process.
 *
 * @param <R> the type of the result
 */
public interface Task<R> extends Serializable {

	/** Runs the task, in a process without other work. */
	R run() throws Exception;

}
