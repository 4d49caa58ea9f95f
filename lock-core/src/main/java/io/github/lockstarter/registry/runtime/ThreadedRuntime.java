package io.github.lockstarter.registry.runtime;

import java.security.SecureRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.random.RandomGenerator;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * The runtime of an application: the monotonic clock of the JVM, one thread for the steps
 * of the engine, threads for answers to asynchronous callers, and others for listeners.
 * Both kinds of threads for code of the application end when they are idle.
 */
public final class ThreadedRuntime implements EngineRuntime {

	/** As many tasks of each kind can block. More than these delay others. */
	private static final int MAX_THREADS = 256;

	private static final String CALLBACKS = "lock-answers-";

	private static final String LISTENERS = "lock-events-";

	private final ScheduledThreadPoolExecutor timer;

	private final ApplicationThreads callbacks;

	private final ApplicationThreads listeners;

	private final SecureRandom random = new SecureRandom();

	/** Creates a runtime for the processors of the machine. */
	public ThreadedRuntime() {
		this(Runtime.getRuntime().availableProcessors(), MAX_THREADS);
	}

	/**
	 * Creates a runtime, and starts the thread of the engine.
	 * @param usual the largest number of threads of each kind while no code of the
	 * application blocks
	 * @param max the largest number of threads of each kind
	 */
	public ThreadedRuntime(int usual, int max) {
		this(usual, Math.max(usual, max), ThreadedRuntime::threads);
	}

	/**
	 * Creates a runtime.
	 * @param threads returns a factory for threads whose names begin with the prefix
	 */
	ThreadedRuntime(int usual, int max, Function<String, ThreadFactory> threads) {
		this.timer = new ScheduledThreadPoolExecutor(1, threads.apply("lock-timer-"),
				new ThreadPoolExecutor.DiscardPolicy());
		this.timer.setRemoveOnCancelPolicy(true);
		// Started now: if a thread could not be created later, no lease would be renewed.
		this.timer.prestartCoreThread();
		this.callbacks = new ApplicationThreads(threads.apply(CALLBACKS), usual, max, this);
		this.listeners = new ApplicationThreads(threads.apply(LISTENERS), usual, max, this);
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
		return this.callbacks;
	}

	@Override
	public Executor listeners() {
		return this.listeners;
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
	 * Ends the threads. Callbacks and listeners have one second to end. Listeners that
	 * are still running are then interrupted.
	 */
	@Override
	public void close() {
		this.timer.shutdownNow();
		this.callbacks.shutDown();
		this.listeners.shutDown();
		String thread = Thread.currentThread().getName();
		if (!thread.startsWith(CALLBACKS) && !thread.startsWith(LISTENERS)) {
			this.callbacks.await();
			if (!this.listeners.await()) {
				this.listeners.interrupt();
			}
		}
	}

	/**
	 * Returns a factory of threads that have the context class loader of the thread which
	 * creates the runtime, and not that of whichever caller needs the first one.
	 */
	private static ThreadFactory threads(String prefix) {
		CustomizableThreadFactory threads = new CustomizableThreadFactory(prefix);
		threads.setDaemon(true);
		ClassLoader loader = Thread.currentThread().getContextClassLoader();
		return (task) -> {
			Thread thread = threads.newThread(task);
			thread.setContextClassLoader(loader);
			return thread;
		};
	}

}
