package io.github.lockstarter.web.servlet;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Runs tasks on a thread that waits for their completion, so that the wait depends on no
 * other thread. After the wait it rejects tasks.
 */
final class WaitingThread implements Executor {

	private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();

	private volatile boolean over;

	@Override
	public void execute(Runnable task) {
		if (this.over) {
			throw new WaitIsOver();
		}
		this.tasks.add(task);
		if (this.over && this.tasks.remove(task)) {
			throw new WaitIsOver();
		}
	}

	/**
	 * Waits for the future on this thread, and runs the tasks. An interrupt ends the
	 * wait. To be called once.
	 * @return whether the future is complete
	 */
	boolean await(CompletableFuture<?> future, Duration time) {
		future.whenComplete((value, failure) -> this.tasks.add(() -> {
		}));
		long end = System.nanoTime() + time.toNanos();
		try {
			while (!future.isDone()) {
				Runnable task = this.tasks.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
				if (task == null) {
					break;
				}
				task.run();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		this.over = true;
		for (Runnable task = this.tasks.poll(); task != null; task = this.tasks.poll()) {
			task.run();
		}
		return future.isDone();
	}

	/** An expected exception, which needs no stack trace. */
	private static final class WaitIsOver extends RejectedExecutionException {

		WaitIsOver() {
			super("The thread is no longer waiting");
		}

		@Override
		public synchronized Throwable fillInStackTrace() {
			return this;
		}

	}

}
