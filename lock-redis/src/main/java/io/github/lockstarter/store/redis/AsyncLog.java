package io.github.lockstarter.store.redis;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Logs on a thread of its own, because log entries come from threads of the driver. An
 * appender of the application that blocks must not block connections.
 */
final class AsyncLog {

	/** While an appender blocks, entries beyond this number are dropped. */
	private static final int MOST_QUEUED = 100;

	private static final Executor logging = logging();

	private final Log log;

	AsyncLog(Class<?> type) {
		this.log = LogFactory.getLog(type);
	}

	void error(String message, Throwable failure) {
		submit((log) -> log.error(message, failure));
	}

	void warn(String message) {
		submit((log) -> log.warn(message));
	}

	void warn(String message, @Nullable Throwable failure) {
		submit((log) -> log.warn(message, failure));
	}

	void info(String message) {
		submit((log) -> log.info(message));
	}

	void debug(String message, Throwable failure) {
		if (this.log.isDebugEnabled()) {
			submit((log) -> log.debug(message, failure));
		}
	}

	private void submit(Consumer<Log> entry) {
		try {
			logging.execute(() -> entry.accept(this.log));
		}
		catch (Throwable ex) {
			// No thread could be started: the entry is dropped.
		}
	}

	/** One thread for all, which ends when it is idle. */
	private static Executor logging() {
		ThreadPoolExecutor executor = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(MOST_QUEUED), (task) -> {
					Thread thread = new Thread(task, "lock-redis-log");
					thread.setDaemon(true);
					return thread;
				}, new ThreadPoolExecutor.DiscardPolicy());
		executor.allowCoreThreadTimeOut(true);
		return executor;
	}

}
