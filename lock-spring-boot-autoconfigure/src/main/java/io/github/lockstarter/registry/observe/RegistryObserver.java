package io.github.lockstarter.registry.observe;

import java.util.function.Consumer;

import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LeaseLostEvent;
import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.registry.runtime.EngineRuntime;

/**
 * Tells operators and the application what happens in a registry.
 */
public final class RegistryObserver {

	private final LockCounts counts;

	private final ObservationRegistry observations;

	private final Consumer<LeaseLostEvent> losses;

	private final EngineRuntime runtime;

	private final OutageLog outages;

	/**
	 * Creates an observer.
	 * @param counts counts what happens
	 * @param observations is told of attempts and leases
	 * @param losses is told of every lost lease
	 */
	public RegistryObserver(LockCounts counts, ObservationRegistry observations, Consumer<LeaseLostEvent> losses,
			EngineRuntime runtime) {
		this.counts = counts;
		this.observations = observations;
		this.losses = losses;
		this.runtime = runtime;
		this.outages = new OutageLog(runtime);
	}

	/** Begins an attempt of the calling thread. */
	public AcquireObservation acquire(LockKey key, long begin) {
		return new AcquireObservation(this, key, begin);
	}

	/**
	 * Counts a step of the engine. The first event of a name registers meters, which is
	 * code of the application, and done elsewhere.
	 */
	public void count(LockKey key, Event event) {
		if (this.counts.knows(key.name())) {
			this.counts.add(key.name(), event);
		}
		else {
			this.runtime.callbacks().execute(() -> this.counts.add(key.name(), event));
		}
	}

	/** Takes note of an answer of the store. */
	public void storeAnswered(LockKey key, @Nullable Throwable failure) {
		if (failure != null) {
			count(key, Event.STORE_ERROR);
		}
		this.outages.answered(failure);
	}

	/** Tells the application of a lost lease; not on a thread of the engine. */
	public void lost(LockKey key, long fencingToken) {
		this.losses.accept(new LeaseLostEvent(key, fencingToken));
	}

	LockCounts counts() {
		return this.counts;
	}

	@Nullable LockObservation observe(String name, LockObservationContext context) {
		return this.observations.isNoop() ? null : new LockObservation(name, context, this.observations);
	}

	long nanoTime() {
		return this.runtime.nanoTime();
	}

}
