package io.github.lockstarter.registry.observe;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;

/**
 * One attempt to get a lock, as operators see it: counted, observed, and written to the
 * log, one line for each outcome.
 */
public final class AcquireObservation {

	private static final Log logger = LogFactory.getLog(AcquireObservation.class);

	/** What cannot be taken for another part of the line. Other keys are digested. */
	private static final Pattern PLAIN = Pattern.compile("[\\p{L}\\p{M}\\p{N}\\p{P}\\p{S} &&[^']]{0,100}");

	private final RegistryObserver observer;

	private final LockKey key;

	private final long begin;

	private final @Nullable LockObservation observation;

	private final AtomicBoolean ended = new AtomicBoolean();

	AcquireObservation(RegistryObserver observer, LockKey key, long begin) {
		this.observer = observer;
		this.key = key;
		this.begin = begin;
		this.observation = observer.observe(LockObservationContext.ACQUIRE, new LockObservationContext(key, null));
		if (this.observation != null) {
			this.observation.start();
		}
	}

	/** Returns the request that it belongs to, as far as known. */
	public @Nullable String request() {
		return (this.observation != null) ? this.observation.context().request() : null;
	}

	/**
	 * Ends it; only the first outcome counts. Runs code of the application, so no thread
	 * of the engine calls it.
	 * @param waited how long it waited for another holder, {@code null} if it did not
	 */
	public void end(Event outcome, @Nullable Duration waited, @Nullable Throwable failure) {
		if (this.ended.compareAndSet(false, true)) {
			count(outcome);
			if (this.observation != null) {
				this.observation.context().setWaited(waited);
				this.observation.stop(outcome, failure);
			}
			log(outcome, this.begin);
		}
	}

	/** Returns the observation of the lease that came of it. */
	public HoldObservation hold(long since) {
		return new HoldObservation(this, since);
	}

	/** Returns an observation of the lease, as part of the same as the attempt. */
	@Nullable LockObservation observeHold() {
		if (this.observation == null) {
			return null;
		}
		LockObservationContext attempt = this.observation.context();
		LockObservationContext hold = new LockObservationContext(this.key, attempt.request());
		// Not what the thread is doing that grants the lock, and may be another holder's.
		hold.setParentObservation(attempt.getParentObservation());
		return this.observer.observe(LockObservationContext.HOLD, hold);
	}

	void count(Event event) {
		this.observer.counts().add(this.key.name(), event);
	}

	void log(Event outcome, long since) {
		if (logger.isDebugEnabled()) {
			logger.debug("Lock '%s', key '%s'%s: %s after %d ms".formatted(this.key.name(), loggedKey(),
					(request() != null) ? ", " + request() : "", outcome.label(),
					TimeUnit.NANOSECONDS.toMillis(this.observer.nanoTime() - since)));
		}
	}

	private String loggedKey() {
		String text = this.key.key();
		return PLAIN.matcher(text).matches() ? text : LockKey.ofDigest(this.key.name(), text).key();
	}

}
