package io.github.lockstarter.registry;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * The threads of a registry, which end when they are idle, and do not keep the JVM alive.
 */
final class EngineThreads {

	private static final int KEEP_ALIVE_SECONDS = 10;

	private EngineThreads() {
	}

	/** Returns one thread that keeps the time. */
	static ScheduledThreadPoolExecutor timer() {
		ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, named("lock-timer-"),
				new ThreadPoolExecutor.DiscardPolicy());
		timer.setRemoveOnCancelPolicy(true);
		timer.setKeepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS);
		timer.allowCoreThreadTimeOut(true);
		return timer;
	}

	/**
	 * Returns as many threads as there are processors, for what the application does.
	 * What comes after their end is run by whoever brings it.
	 */
	static ThreadPoolExecutor answers() {
		int processors = Runtime.getRuntime().availableProcessors();
		ThreadPoolExecutor answers = new ThreadPoolExecutor(processors, processors, KEEP_ALIVE_SECONDS,
				TimeUnit.SECONDS, new LinkedBlockingQueue<>(), named("lock-answers-"),
				(answer, executor) -> answer.run());
		answers.allowCoreThreadTimeOut(true);
		return answers;
	}

	private static ThreadFactory named(String prefix) {
		CustomizableThreadFactory threads = new CustomizableThreadFactory(prefix);
		threads.setDaemon(true);
		return threads;
	}

}
