package io.github.lockstarter.registry.observe;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.registry.runtime.EngineRuntime;

/**
 * Logs failures of a store, with at most one line in 10 s, and its recovery.
 */
final class OutageLog {

	private static final Log logger = LogFactory.getLog(OutageLog.class);

	private static final long PAUSE = TimeUnit.SECONDS.toNanos(10);

	private final String store;

	private final EngineRuntime runtime;

	private final AtomicLong failures = new AtomicLong();

	private final AtomicLong lastLine;

	private volatile boolean logged;

	/**
	 * Creates a log.
	 * @param store how the lines name the store
	 */
	OutageLog(String store, EngineRuntime runtime) {
		this.store = store;
		this.runtime = runtime;
		this.lastLine = new AtomicLong(runtime.nanoTime() - PAUSE);
	}

	/** Records an answer of the store. */
	void answered(@Nullable Throwable failure) {
		if (failure != null) {
			failed(failure);
		}
		else if (this.failures.get() > 0) {
			recovered();
		}
	}

	private void failed(Throwable failure) {
		long count = this.failures.incrementAndGet();
		long now = this.runtime.nanoTime();
		long last = this.lastLine.get();
		if (now - last >= PAUSE && this.lastLine.compareAndSet(last, now)) {
			this.logged = true;
			this.runtime.listeners()
				.execute(() -> logger.warn("%s fails; failures since it last answered: %d".formatted(this.store, count),
						StoreFailure.cause(failure)));
		}
	}

	private void recovered() {
		long count = this.failures.getAndSet(0);
		if (count > 0 && this.logged) {
			this.logged = false;
			this.runtime.listeners()
				.execute(() -> logger.info("%s answers again; failures meanwhile: %d".formatted(this.store, count)));
		}
	}

}
