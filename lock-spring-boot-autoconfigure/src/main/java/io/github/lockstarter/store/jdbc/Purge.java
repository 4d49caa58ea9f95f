package io.github.lockstarter.store.jdbc;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Removes the rows that nobody needs any more, about once a minute while locks are in
 * use. Every instance does so; there is nothing to agree on.
 */
final class Purge {

	private static final Log logger = LogFactory.getLog(Purge.class);

	private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final LockTable locks;

	private final ResultTable results;

	private final Connections connections;

	private final AtomicLong last = new AtomicLong(System.nanoTime());

	Purge(LockTable locks, ResultTable results, Connections connections) {
		this.locks = locks;
		this.results = results;
		this.connections = connections;
	}

	/** Begins, unless it has begun a short time ago. */
	void beginIfDue() {
		long now = System.nanoTime();
		long before = this.last.get();
		if (now - before > INTERVAL_NANOS && this.last.compareAndSet(before, now)) {
			begin(LockTable.KEPT);
		}
	}

	/** Removes some rows, and then more, until there are none. */
	void begin(Duration kept) {
		this.connections.run((connection, mayBeDone) -> {
			int most = Math.max(this.locks.purge(connection, kept), this.results.purge(connection));
			return most >= LockTable.SOME;
		}).whenComplete((more, failure) -> {
			if (failure != null) {
				logger.warn(
						"Rows of free locks and of old results could not be removed: this is tried again in a minute",
						failure);
			}
			else if (more) {
				begin(kept);
			}
		});
	}

}
