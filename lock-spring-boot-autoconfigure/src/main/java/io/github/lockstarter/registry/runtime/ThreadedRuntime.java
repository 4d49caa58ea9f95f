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
 * The runtime of an application: the JVM's monotonic clock, one thread for the steps of
 * the engine, and as many as there are processors for the code of the application. The
 * threads end when they are idle.
 */
public final class ThreadedRuntime implements EngineRuntime {

	private static final long KEEP_ALIVE_SECONDS = 10;

	private final ScheduledThreadPoolExecutor timer = timer();

	private final ThreadPoolExecutor callbacks = callbackThreads();

	private final SecureRandom random = new SecureRandom();

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
	public RandomGenerator random() {
		return this.random;
	}

	@Override
	public boolean isClosed() {
		return this.timer.isShutdown();
	}

	@Override
	public void close() {
		this.timer.shutdownNow();
		this.callbacks.shutdown();
	}

	private static ScheduledThreadPoolExecutor timer() {
		ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, named("lock-timer-"),
				new ThreadPoolExecutor.DiscardPolicy());
		timer.setRemoveOnCancelPolicy(true);
		timer.setKeepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS);
		timer.allowCoreThreadTimeOut(true);
		return timer;
	}

	/** A task that comes after their end is run by the thread that brings it. */
	private static ThreadPoolExecutor callbackThreads() {
		int processors = Runtime.getRuntime().availableProcessors();
		ThreadPoolExecutor callbacks = new ThreadPoolExecutor(processors, processors, KEEP_ALIVE_SECONDS,
				TimeUnit.SECONDS, new LinkedBlockingQueue<>(), named("lock-answers-"), (task, executor) -> task.run());
		callbacks.allowCoreThreadTimeOut(true);
		return callbacks;
	}

	private static ThreadFactory named(String prefix) {
		CustomizableThreadFactory threads = new CustomizableThreadFactory(prefix);
		threads.setDaemon(true);
		return threads;
	}

}
