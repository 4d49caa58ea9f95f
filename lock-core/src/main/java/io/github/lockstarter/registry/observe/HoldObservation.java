package io.github.lockstarter.registry.observe;

import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockCounts.Event;

/**
 * Observes a lease, with the same parent as the attempt that acquired it. The observation
 * begins when the caller receives the lease. If the lease has ended by then, it begins
 * and ends at once.
 */
public final class HoldObservation {

	private final RegistryObserver observer;

	private final LockObservation attempt;

	/** The state of the observation: begun, or the outcome of the lease. */
	private final AtomicReference<@Nullable Object> state = new AtomicReference<>();

	HoldObservation(RegistryObserver observer, LockObservation attempt) {
		this.observer = observer;
		this.attempt = attempt;
	}

	/** Returns the HTTP request that holds the lease, if it is known. */
	public @Nullable String request() {
		return this.attempt.request();
	}

	/**
	 * Begins the observation. Runs code of the application, so it must not be called on a
	 * thread of the engine.
	 */
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
		// The parent is not taken from the current thread, which may belong to another
		// holder.
		return this.observer.observation(LockObservationContext.ofLease(this.attempt.context()));
	}

	/**
	 * Ends the observation, once. Runs code of the application, so it must not be called
	 * on a thread of the engine.
	 */
	public void end(Event outcome) {
		if (this.state.getAndSet(outcome) instanceof LockObservation observation) {
			observation.stop(outcome, null);
		}
	}

}
