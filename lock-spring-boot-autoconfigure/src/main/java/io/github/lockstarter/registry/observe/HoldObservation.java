package io.github.lockstarter.registry.observe;

import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockCounts.Event;

/**
 * A lease as operators see it. It is observed from the time when the caller has it; if
 * the lease has ended by then, its observation begins and ends at once.
 */
public final class HoldObservation {

	private final AcquireObservation attempt;

	private final long since;

	/** What it is about: that it was begun, or how it ended. */
	private final AtomicReference<@Nullable Object> state = new AtomicReference<>();

	HoldObservation(AcquireObservation attempt, long since) {
		this.attempt = attempt;
		this.since = since;
	}

	/** Begins it. Runs code of the application, so no thread of the engine calls it. */
	public void begin() {
		LockObservation observation = this.attempt.observeHold();
		if (observation != null) {
			observation.start();
			if (!this.state.compareAndSet(null, observation) && this.state.get() instanceof Event outcome) {
				observation.stop(outcome, null);
			}
		}
	}

	/**
	 * Ends it, once. Runs code of the application, so no thread of the engine calls it.
	 */
	public void end(Event outcome) {
		Object begun = this.state.getAndSet(outcome);
		if (!(begun instanceof Event)) {
			this.attempt.count(outcome);
			if (begun instanceof LockObservation observation) {
				observation.stop(outcome, null);
			}
			this.attempt.log(outcome, this.since);
		}
	}

}
