package io.github.lockstarter.registry.runtime;

import java.security.SecureRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * The runtime of an application: the monotonic clock of the JVM, one thread for the steps
 * of the engine, and up to one thread per processor for code of the application. The
 * latter end when they are idle.
 */
public final class ThreadedRuntime implements EngineRuntime {

	private static final long KEEP_ALIVE_SECONDS = 10;

	/**
	 * The delay before another attempt to start a thread for which there was no memory.
	 */
	private static final long START_AGAIN_MILLIS = 100;

	private static final String CALLBACKS = "lock-answers-";

	private final ScheduledThreadPoolExecutor timer;

	private final ThreadPoolExecutor callbacks;

	private final Executor callBack = this::callBack;

	private final SecureRandom random = new SecureRandom();

	/** Creates a runtime, and starts the thread of the engine. */
	public ThreadedRuntime() {
		this(threads("lock-timer-"), threads(CALLBACKS));
	}

	ThreadedRuntime(ThreadFactory timerThreads, ThreadFactory callbackThreads) {
		this.timer = new ScheduledThreadPoolExecutor(1, timerThreads, new ThreadPoolExecutor.DiscardPolicy());
		this.timer.setRemoveOnCancelPolicy(true);
		// Started now: if a thread could not be created later, no lease would be renewed.
		this.timer.prestartCoreThread();
		int processors = Runtime.getRuntime().availableProcessors();
		// A task that is submitted after the shutdown runs on a thread of its own.
		this.callbacks = new ThreadPoolExecutor(processors, processors, KEEP_ALIVE_SECONDS, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(), callbackThreads,
				(task, executor) -> callbackThreads.newThread(task).start());
		this.callbacks.allowCoreThreadTimeOut(true);
	}

	@Override
	public long nanoTime() {
		return System.nanoTime();
	}

	@Override
	public Alarm schedule(Runnable step, long delayNanos) {
		Future<?> scheduled = this.timer.schedule(step, Math.max(delayNanos, 0), TimeUnit.NANOSECONDS);
		return () -> scheduled.cancel(false);
	}

	@Override
	public Executor callbacks() {
		return this.callBack;
	}

	private void callBack(Runnable task) {
		try {
			this.callbacks.execute(task);
		}
		catch (OutOfMemoryError ex) {
			// No thread could be started: a busy thread, or the next one, runs the task.
			if (this.callbacks.isShutdown()) {
				task.run();
			}
			else {
				this.callbacks.getQueue().add(task);
				startLater();
			}
		}
	}

	/** Needed because no other task may arrive that would start a thread. */
	private void startLater() {
		this.timer.schedule(() -> {
			try {
				if (!this.callbacks.getQueue().isEmpty()) {
					this.callbacks.prestartCoreThread();
				}
			}
			catch (OutOfMemoryError ex) {
				startLater();
			}
		}, START_AGAIN_MILLIS, TimeUnit.MILLISECONDS);
	}

	@Override
	public RandomGenerator random() {
		return this.random;
	}

	@Override
	public boolean isClosed() {
		return this.timer.isShutdown();
	}

	/**
	 * Ends the threads. Running callbacks of the application have one second to complete.
	 */
	@Override
	public void close() {
		this.timer.shutdownNow();
		this.callbacks.shutdown();
		if (!Thread.currentThread().getName().startsWith(CALLBACKS)) {
			try {
				this.callbacks.awaitTermination(1, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private static ThreadFactory threads(String prefix) {
		CustomizableThreadFactory threads = new CustomizableThreadFactory(prefix);
		threads.setDaemon(true);
		return threads;
	}

}
