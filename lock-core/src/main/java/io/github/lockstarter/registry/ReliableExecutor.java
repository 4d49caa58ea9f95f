package io.github.lockstarter.registry;

import java.util.concurrent.Executor;

/**
 * Runs every task, even if an executor of the application rejects it.
 *
 * @param executor the executor
 * @param substitute runs the tasks that the executor rejects
 */
record ReliableExecutor(Executor executor, Executor substitute) implements Executor {

	@Override
	public void execute(Runnable task) {
		try {
			this.executor.execute(task);
		}
		catch (Throwable ex) {
			// The task may run twice, but does its work only once.
			this.substitute.execute(task);
		}
	}

}
