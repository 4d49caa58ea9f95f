package io.github.lockstarter.registry.runtime;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

/**
 * Threads for code of the application, which may block for ever. A few of them run all
 * tasks that end soon. While all of them are blocked, more are started for the tasks that
 * wait, up to a limit. No task is rejected or dropped. Idle threads end.
 */
final class ApplicationThreads implements Executor {

	/**
	 * The time without progress after which the threads count as blocked. A burst of
	 * short tasks makes progress, so it starts no thread.
	 */
	private static final long PATIENCE = TimeUnit.MILLISECONDS.toNanos(10);

	private static final long KEEP_ALIVE_SECONDS = 10;

	private static final long GRACE_SECONDS = 1;

	private final ThreadFactory factory;

	private final int usual;

	private final int max;

	private final EngineRuntime timer;

	private final BlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>();

	private final ThreadPoolExecutor pool;

	/** Whether the progress is checked, because a task waits. */
	private final AtomicBoolean checked = new AtomicBoolean();

	/**
	 * Creates threads, none of which is started yet.
	 * @param usual the largest number of threads while tasks end soon
	 * @param max the largest number of threads
	 * @param timer runs the checks of the progress
	 */
	ApplicationThreads(ThreadFactory factory, int usual, int max, EngineRuntime timer) {
		this.factory = factory;
		this.usual = usual;
		this.max = max;
		this.timer = timer;
		// A task that is submitted after the shutdown runs on a thread of its own.
		this.pool = new ThreadPoolExecutor(usual, max, KEEP_ALIVE_SECONDS, TimeUnit.SECONDS, this.waiting, factory,
				(task, executor) -> factory.newThread(task).start());
		this.pool.allowCoreThreadTimeOut(true);
	}

	@Override
	public void execute(Runnable task) {
		try {
			this.pool.execute(task);
		}
		catch (OutOfMemoryError ex) {
			// No thread could be started: a busy thread, or the next one, runs the task.
			if (this.pool.isShutdown()) {
				task.run();
			}
			else {
				this.waiting.add(task);
			}
		}
		checkProgress();
	}

	private void checkProgress() {
		if (!this.waiting.isEmpty() && !this.checked.get() && this.checked.compareAndSet(false, true)) {
			checkLater(this.waiting.peek());
		}
	}

	private void checkLater(@Nullable Runnable first) {
		this.timer.schedule(() -> check(first), PATIENCE);
	}

	/**
	 * Starts threads if no task has begun since the last check.
	 * @param first the task that had waited the longest at the last check
	 */
	private void check(@Nullable Runnable first) {
		Runnable next = this.waiting.peek();
		if (next == null) {
			this.pool.setCorePoolSize(this.usual);
			this.checked.set(false);
			checkProgress();
			return;
		}
		if (next == first) {
			grow();
		}
		checkLater(next);
	}

	/** Starts as many threads as are blocked, but not more than tasks wait. */
	private void grow() {
		try {
			this.pool.setCorePoolSize(Math.max(this.usual, Math.min(2 * this.pool.getPoolSize(), this.max)));
			// Needed if there was no memory for the last thread.
			this.pool.prestartCoreThread();
		}
		catch (OutOfMemoryError ex) {
			// The next check tries again.
		}
	}

	/** Lets the threads end when all tasks have ended. */
	void shutDown() {
		this.pool.shutdown();
	}

	/**
	 * Waits a second for the tasks to end.
	 * @return whether they have ended
	 */
	boolean await() {
		try {
			return this.pool.awaitTermination(GRACE_SECONDS, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	/** Interrupts the running tasks. The waiting ones run on one more thread. */
	void interrupt() {
		List<Runnable> left = this.pool.shutdownNow();
		if (!left.isEmpty()) {
			this.factory.newThread(() -> left.forEach(Runnable::run)).start();
		}
	}

}
