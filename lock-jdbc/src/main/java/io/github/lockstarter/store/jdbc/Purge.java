package io.github.lockstarter.store.jdbc;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Removes the rows of free locks and of expired results, about once a minute while locks
 * are in use. All instances do so independently.
 */
final class Purge {

	private static final Log logger = LogFactory.getLog(Purge.class);

	private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final LockTable locks;

	private final ResultTable results;

	private final ConnectionLane connections;

	private final AtomicLong last = new AtomicLong(System.nanoTime());

	Purge(LockTable locks, ResultTable results, ConnectionLane connections) {
		this.locks = locks;
		this.results = results;
		this.connections = connections;
	}

	/** Starts a purge, unless one was started recently. */
	void beginIfDue() {
		long now = System.nanoTime();
		long before = this.last.get();
		if (now - before > INTERVAL_NANOS && this.last.compareAndSet(before, now)) {
			begin(LockTable.KEPT).whenComplete((done, failure) -> report(failure));
		}
	}

	/** Removes rows in batches until there are none left. */
	CompletionStage<Void> begin(Duration kept) {
		return this.connections.run((connection, prior) -> {
			int most = Math.max(this.locks.purge(connection, kept), this.results.purge(connection));
			return most >= LockTable.SOME;
		}).thenCompose((more) -> more ? begin(kept) : CompletableFuture.completedStage(null));
	}

	private static void report(@Nullable Throwable failure) {
		if (failure != null) {
			logger.warn(
					"Rows of free locks and of expired results could not be removed. The next attempt follows in a minute",
					failure);
		}
	}

}
