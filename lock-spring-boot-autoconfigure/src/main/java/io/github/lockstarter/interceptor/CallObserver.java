package io.github.lockstarter.interceptor;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.operation.LockedMethod;

/**
 * Takes note of calls of annotated methods that were refused, were skipped, or ran
 * without their lock.
 */
public final class CallObserver {

	private static final Log logger = LogFactory.getLog(CallObserver.class);

	private static final long PAUSE = TimeUnit.SECONDS.toNanos(10);

	private final LockCounts counts;

	private final LastRuns runs;

	private final ConflictEvents events;

	private final AtomicLong lastLine = new AtomicLong(System.nanoTime() - PAUSE);

	/**
	 * Creates an observer.
	 * @param counts counts what happens
	 * @param runs remembers when methods ran whose calls may be skipped
	 * @param events publishes it to the application
	 */
	public CallObserver(LockCounts counts, LastRuns runs, ConflictEvents events) {
		this.counts = counts;
		this.runs = runs;
		this.events = events;
	}

	/** A call was refused: the lock is held. */
	void refused(LockConflictException conflict) {
		this.events.refused(conflict.getKey(), conflict);
	}

	/** A call that might have been skipped runs. */
	void runs(Lease lease, LockedMethod method) {
		this.runs.ran(lease, method);
	}

	/** A call was skipped: the lock is held. */
	void skipped(LockKey key, LockedMethod method) {
		this.counts.add(key.name(), Event.SKIPPED);
		this.runs.skipped(key.name(), method);
		this.events.skipped(key, method.method());
		if (logger.isDebugEnabled()) {
			logger.debug("%s was skipped: lock '%s' is held".formatted(method.method().toGenericString(), key.name()));
		}
	}

	/** A call proceeds without the lock. In an outage there may be thousands of them. */
	void proceeds(LockKey key, LockedMethod method, LockStoreException failure) {
		this.counts.add(key.name(), Event.UNGUARDED);
		long now = System.nanoTime();
		long last = this.lastLine.get();
		if (now - last >= PAUSE && this.lastLine.compareAndSet(last, now)) {
			logger.warn("%s runs without lock '%s', as on-store-failure is proceed. Calls without it so far: %d. %s"
				.formatted(method.method().toGenericString(), key.name(), this.counts.get(key.name(), Event.UNGUARDED),
						failure.getMessage()));
		}
	}

}
