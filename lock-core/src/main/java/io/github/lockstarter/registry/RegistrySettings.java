package io.github.lockstarter.registry;

import java.util.function.Consumer;
import java.util.function.Function;

import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LeaseLostEvent;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.count.LockEventCounter;
import io.github.lockstarter.registry.observe.DefaultLockObservationConvention;
import io.github.lockstarter.registry.runtime.EngineRuntime;
import io.github.lockstarter.registry.runtime.ThreadedRuntime;

/**
 * The settings of a {@link DefaultLockRegistry}.
 *
 * @param options returns the default options of a lock by its name
 * @param maxWaiters the largest number of waiters per lock; further callers are rejected
 * at once. 64 by default
 * @param conflictFactory creates the exceptions for rejected callers. By default they
 * have no status of their own
 * @param losses is notified of every lost lease, on a thread for listeners
 * @param counts counts the events
 * @param observations observes attempts and leases, with the names of
 * {@link DefaultLockObservationConvention} unless another convention is set. Nothing is
 * observed by default
 * @param runtime the clock, the threads and the randomness; it is closed with the
 * registry. {@code null}, the default, for a new {@link ThreadedRuntime}
 */
public record RegistrySettings(Function<String, LockOptions> options, int maxWaiters, ConflictFactory conflictFactory,
		Consumer<LeaseLostEvent> losses, LockEventCounter counts, ObservationRegistry observations,
		@Nullable EngineRuntime runtime) {

	private static final int MAX_WAITERS = 64;

	/** Returns settings with the same options for all locks. */
	public static RegistrySettings of(LockOptions options) {
		return of((name) -> options);
	}

	/** Returns settings with options by the names of the locks. */
	public static RegistrySettings of(Function<String, LockOptions> options) {
		return new RegistrySettings(options, MAX_WAITERS,
				(key, reason, retryAfter) -> new LockConflictException(key, reason, retryAfter, null), (loss) -> {
				}, new LockEventCounter(), ObservationRegistry.NOOP, null);
	}

	/** Returns these settings with another number of waiters per lock. */
	public RegistrySettings withMaxWaiters(int maxWaiters) {
		return new RegistrySettings(this.options, maxWaiters, this.conflictFactory, this.losses, this.counts,
				this.observations, this.runtime);
	}

	/**
	 * Returns these settings with what creates the exceptions for rejected callers.
	 */
	public RegistrySettings withConflictFactory(ConflictFactory conflictFactory) {
		return new RegistrySettings(this.options, this.maxWaiters, conflictFactory, this.losses, this.counts,
				this.observations, this.runtime);
	}

	/** Returns these settings with what is notified of every lost lease. */
	public RegistrySettings withLosses(Consumer<LeaseLostEvent> losses) {
		return new RegistrySettings(this.options, this.maxWaiters, this.conflictFactory, losses, this.counts,
				this.observations, this.runtime);
	}

	/** Returns these settings with what counts the events. */
	public RegistrySettings withCounts(LockEventCounter counts) {
		return new RegistrySettings(this.options, this.maxWaiters, this.conflictFactory, this.losses, counts,
				this.observations, this.runtime);
	}

	/** Returns these settings with what observes attempts and leases. */
	public RegistrySettings withObservations(ObservationRegistry observations) {
		return new RegistrySettings(this.options, this.maxWaiters, this.conflictFactory, this.losses, this.counts,
				observations, this.runtime);
	}

	/** Returns these settings with a runtime. */
	public RegistrySettings withRuntime(EngineRuntime runtime) {
		return new RegistrySettings(this.options, this.maxWaiters, this.conflictFactory, this.losses, this.counts,
				this.observations, runtime);
	}

}
