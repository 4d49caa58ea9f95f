package io.github.lockstarter.registry.observe;

import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockCounts.Event;

/**
 * An observation of a lease, as part of the same as the attempt that got it. It begins
 * when the caller has the lease; if that has ended by then, it begins and ends at once.
 */
public final class HoldObservation {

	private final RegistryObserver observer;

	private final LockObservation attempt;

	/** What it is about: that it was begun, or how it ended. */
	private final AtomicReference<@Nullable Object> state = new AtomicReference<>();

	HoldObservation(RegistryObserver observer, LockObservation attempt) {
		this.observer = observer;
		this.attempt = attempt;
	}

	/** Returns the request that holds the lease, as far as known. */
	public @Nullable String request() {
		return this.attempt.request();
	}

	/** Begins it. Runs code of the application, so no thread of the engine calls it. */
	public void begin() {
		LockObservation observation = observation();
		if (observation == null) {
			return;
		}
		observation.start();
		if (!this.state.compareAndSet(null, observation) && this.state.get() instanceof Event outcome) {
			observation.stop(outcome, null);
		}
	}

	private @Nullable LockObservation observation() {
		// Not what the thread is doing that grants the lock, and may be another holder's.
		return this.observer.observation(LockObservationContext.ofLease(this.attempt.context()));
	}

	/**
	 * Ends it, once. Runs code of the application, so no thread of the engine calls it.
	 */
	public void end(Event outcome) {
		if (this.state.getAndSet(outcome) instanceof LockObservation observation) {
			observation.stop(outcome, null);
		}
	}

}
