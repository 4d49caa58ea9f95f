package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;

/**
 * An attempt to get a lock, and the lease that comes of it, as operators see them:
 * counted, observed, and told to the log, one line for each decision.
 */
final class Attempt {

	private static final Log logger = LogFactory.getLog(Attempt.class);

	/** What cannot be taken for another part of the line. Other keys are digested. */
	private static final Pattern PLAIN = Pattern.compile("[\\p{L}\\p{M}\\p{N}\\p{P}\\p{S} &&[^']]{0,100}");

	private final Engine engine;

	private final LockKey key;

	private final LockOptions options;

	private final long begin = System.nanoTime();

	private final @Nullable Observed acquire;

	private final AtomicBoolean ended = new AtomicBoolean();

	/** Begins an attempt of the calling thread. */
	Attempt(Engine engine, LockKey key, LockOptions options) {
		this.engine = engine;
		this.key = key;
		this.options = options;
		this.acquire = Observed.acquire(key, engine.observations());
	}

	LockKey key() {
		return this.key;
	}

	LockOptions options() {
		return this.options;
	}

	/** Returns when it began, in {@link System#nanoTime()}. */
	long begin() {
		return this.begin;
	}

	/** Returns the request that it belongs to, as far as known. */
	@Nullable String request() {
		return (this.acquire != null) ? this.acquire.context().request() : null;
	}

	void count(Event event) {
		this.engine.counts().add(this.key.name(), event);
	}

	/**
	 * Ends it; only the first outcome counts.
	 * @param waited how long it waited for another holder, {@code null} if it did not
	 */
	void end(Event outcome, @Nullable Duration waited, @Nullable Throwable failure) {
		if (this.ended.compareAndSet(false, true)) {
			if (this.acquire != null) {
				this.acquire.context().setWaited(waited);
			}
			tell(this.acquire, outcome, this.begin, failure);
		}
	}

	/** Begins to observe the lease. */
	@Nullable Observed hold() {
		return (this.acquire != null) ? this.acquire.hold(this.engine.observations()) : null;
	}

	/** The lease has ended, which is told once. */
	void endHold(@Nullable Observed hold, Event outcome, long since) {
		tell(hold, outcome, since, null);
	}

	private void tell(@Nullable Observed observed, Event outcome, long since, @Nullable Throwable failure) {
		count(outcome);
		if (observed != null) {
			observed.end(outcome, failure);
		}
		if (logger.isDebugEnabled()) {
			logger.debug("Lock '%s', key '%s'%s: %s after %d ms".formatted(this.key.name(), loggedKey(),
					(request() != null) ? ", " + request() : "", outcome.label(),
					TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since)));
		}
	}

	private String loggedKey() {
		String key = this.key.key();
		return PLAIN.matcher(key).matches() ? key : LockKey.ofDigest(this.key.name(), key).key();
	}

}
