package io.github.lockstarter.registry.observe;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Tells the operator that the store fails, with one line in 10 s at most, and that it
 * answers again.
 */
final class OutageLog {

	private static final Log logger = LogFactory.getLog(OutageLog.class);

	private static final long PAUSE = TimeUnit.SECONDS.toNanos(10);

	private final LongSupplier nanoTime;

	private final AtomicLong failures = new AtomicLong();

	private final AtomicLong lastLine;

	private volatile boolean logged;

	OutageLog(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
		this.lastLine = new AtomicLong(nanoTime.getAsLong() - PAUSE);
	}

	/** Returns whether the store has failed since it last answered. */
	boolean isFailing() {
		return this.failures.get() > 0;
	}

	/** The store has failed to answer. */
	void failed(Throwable failure) {
		long count = this.failures.incrementAndGet();
		long now = this.nanoTime.getAsLong();
		long last = this.lastLine.get();
		if (now - last >= PAUSE && this.lastLine.compareAndSet(last, now)) {
			this.logged = true;
			logger.warn("The lock store fails; failures since it last answered: %d".formatted(count),
					StoreFailure.cause(failure));
		}
	}

	/** The store has answered. */
	void answered() {
		long count = this.failures.getAndSet(0);
		if (count > 0 && this.logged) {
			this.logged = false;
			logger.info("The lock store answers again; failures meanwhile: %d".formatted(count));
		}
	}

}
