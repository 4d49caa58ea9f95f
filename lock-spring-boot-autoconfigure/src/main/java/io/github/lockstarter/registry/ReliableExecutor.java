package io.github.lockstarter.registry;

import java.util.concurrent.Executor;

/**
 * Runs every task, also where an executor of the application does not take it.
 *
 * @param executor the executor
 * @param substitute takes the tasks that it does not take
 */
record ReliableExecutor(Executor executor, Executor substitute) implements Executor {

	@Override
	public void execute(Runnable task) {
		try {
			this.executor.execute(task);
		}
		catch (Throwable ex) {
			// It may have run, or be run twice: it does its work only once.
			this.substitute.execute(task);
		}
	}

}
