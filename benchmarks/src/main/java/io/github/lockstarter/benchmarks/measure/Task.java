package io.github.lockstarter.benchmarks.measure;

import java.io.Serializable;

/**
 * Something that another process does.
 *
 * @param <R> what comes of it
 */
public interface Task<R> extends Serializable {

	/** Does it, in a process where nothing else is done. */
	R run() throws Exception;

}
