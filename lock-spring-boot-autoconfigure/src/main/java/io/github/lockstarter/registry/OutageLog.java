package io.github.lockstarter.registry;

import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.lang.Contract;

/**
 * Tells the operator that the store fails, with one line in 10 s at most, and that it
 * answers again.
 */
final class OutageLog {

	private static final Log logger = LogFactory.getLog(OutageLog.class);

	private static final long PAUSE = TimeUnit.SECONDS.toNanos(10);

	private final AtomicLong failures = new AtomicLong();

	private final AtomicLong lastLine = new AtomicLong(System.nanoTime() - PAUSE);

	private volatile boolean told;

	/** Takes note of an answer of the store. */
	void heard(@Nullable Throwable failure) {
		if (failure != null) {
			failed(cause(failure));
		}
		else if (this.failures.get() > 0) {
			answered();
		}
	}

	/** Returns the failure itself, without what a {@code CompletionStage} wraps it in. */
	@Contract("!null -> !null")
	static @Nullable Throwable cause(@Nullable Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	private void failed(Throwable failure) {
		long count = this.failures.incrementAndGet();
		long now = System.nanoTime();
		long last = this.lastLine.get();
		if (now - last >= PAUSE && this.lastLine.compareAndSet(last, now)) {
			this.told = true;
			logger.warn("The lock store fails; failures since it last answered: %d".formatted(count), failure);
		}
	}

	private void answered() {
		long count = this.failures.getAndSet(0);
		if (count > 0 && this.told) {
			this.told = false;
			logger.info("The lock store answers again; failures meanwhile: %d".formatted(count));
		}
	}

}
