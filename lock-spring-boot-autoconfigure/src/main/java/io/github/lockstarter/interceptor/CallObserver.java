package io.github.lockstarter.interceptor;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.count.LockEventCounter;
import io.github.lockstarter.event.LockEvents;
import io.github.lockstarter.operation.LockOperation;
import io.github.lockstarter.operation.LockedMethod;

/**
 * Counts, logs and publishes calls of annotated methods that were rejected, were skipped,
 * or ran without their lock.
 */
public final class CallObserver {

	private static final Log logger = LogFactory.getLog(CallObserver.class);

	private static final long PAUSE = TimeUnit.SECONDS.toNanos(10);

	private final LockEventCounter counts;

	private final LastRuns runs;

	private final LockEvents events;

	private final AtomicLong lastLine = new AtomicLong(System.nanoTime() - PAUSE);

	/**
	 * Creates an observer.
	 * @param counts counts the events
	 * @param runs records the last runs of methods whose calls may be skipped
	 * @param events publishes the events to the application
	 */
	public CallObserver(LockEventCounter counts, LastRuns runs, LockEvents events) {
		this.counts = counts;
		this.runs = runs;
		this.events = events;
	}

	/** Records a call that was rejected because the lock is held. */
	void rejected(LockConflictException conflict) {
		this.events.rejected(conflict.getKey(), conflict);
	}

	/** Records a call that begins to run, for each lock for which it could be skipped. */
	void runs(LockedMethod method, List<Lease> leases) {
		for (LockOperation operation : method.operations()) {
			if (operation.skips()) {
				leases.stream()
					.filter((lease) -> lease.key().name().equals(operation.name()))
					.findFirst()
					.ifPresent((lease) -> this.runs.ran(lease, method));
			}
		}
	}

	/** Records a call that was skipped because the lock is held. */
	void skipped(LockKey key, LockedMethod method) {
		this.counts.add(key.name(), Event.SKIPPED);
		this.runs.skipped(key.name(), method);
		this.events.skipped(key, method.method());
		if (logger.isDebugEnabled()) {
			logger.debug("%s was skipped: lock '%s' is held".formatted(method.method().toGenericString(), key.name()));
		}
	}

	/**
	 * Records a call that proceeds without the lock. There may be thousands of them
	 * during an outage.
	 */
	void proceeds(LockKey key, LockedMethod method, LockStoreException failure) {
		this.counts.add(key.name(), Event.UNGUARDED);
		long now = System.nanoTime();
		long last = this.lastLine.get();
		if (now - last >= PAUSE && this.lastLine.compareAndSet(last, now)) {
			logger.warn(
					"%s runs without lock '%s', because on-store-failure is proceed. Calls without the lock so far: %d. %s"
						.formatted(method.method().toGenericString(), key.name(),
								this.counts.get(key.name(), Event.UNGUARDED), failure.getMessage()));
		}
	}

}
