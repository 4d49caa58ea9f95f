package io.github.lockstarter.registry.request;

import java.util.concurrent.Executor;

/**
 * The executor of a caller that is notified when its answer may take long.
 */
public interface ContentionListener extends Executor {

	/**
	 * Notifies the caller that the lock is held, so that its request waits. Called by the
	 * engine, so it must return at once.
	 */
	void contended();

}
