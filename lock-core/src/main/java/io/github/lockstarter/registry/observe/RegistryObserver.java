package io.github.lockstarter.registry.observe;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import io.micrometer.observation.ObservationRegistry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LeaseLostEvent;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.count.LockEventCounter;
import io.github.lockstarter.registry.runtime.EngineRuntime;
import io.github.lockstarter.store.LockStores;

/**
 * Notifies operators and the application of the events in a registry.
 */
public final class RegistryObserver {

	private static final Log logger = LogFactory.getLog(RegistryObserver.class);

	/**
	 * Keys that cannot be mistaken for another part of the log line. Other keys are
	 * digested.
	 */
	private static final Pattern PLAIN = Pattern.compile("[\\p{L}\\p{M}\\p{N}\\p{P}\\p{S} &&[^']]{0,100}");

	private final LockEventCounter counts;

	private final ObservationRegistry observations;

	private final Consumer<LeaseLostEvent> losses;

	private final EngineRuntime runtime;

	private final LockStores stores;

	/** By the names of the stores. */
	private final Map<String, OutageLog> outages = new HashMap<>();

	/** The convention of the application, if it has one. */
	private volatile @Nullable LockObservationConvention convention;

	private volatile Supplier<@Nullable Consumer<LockKey>> releases = () -> null;

	/**
	 * Creates an observer.
	 * @param counts counts the events
	 * @param observations observes attempts and leases
	 * @param losses is notified of every lost lease
	 * @param stores the stores whose outages are logged
	 */
	public RegistryObserver(LockEventCounter counts, ObservationRegistry observations, Consumer<LeaseLostEvent> losses,
			LockStores stores, EngineRuntime runtime) {
		this.counts = counts;
		this.observations = observations;
		this.losses = losses;
		this.runtime = runtime;
		this.stores = stores;
		stores.byName()
			.keySet()
			.forEach((name) -> this.outages.put(name, new OutageLog(
					stores.areSeveral() ? "The lock store '%s'".formatted(name) : "The lock store", runtime)));
	}

	/** Sets the convention of the application for observations. */
	public void setConvention(@Nullable LockObservationConvention convention) {
		this.convention = convention;
	}

	/**
	 * Sets what observes releases.
	 * @param listeners called on the thread of each caller; returns what is called with
	 * the lock when its holder releases it, or {@code null}
	 */
	public void onRelease(Supplier<@Nullable Consumer<LockKey>> listeners) {
		this.releases = listeners;
	}

	/** Returns what observes the release of a lock that the calling thread acquires. */
	public @Nullable Consumer<LockKey> releaseListener() {
		return this.releases.get();
	}

	/**
	 * Begins to observe an attempt of the calling thread.
	 * @return the observation; {@code null} if attempts are not observed
	 */
	public @Nullable LockObservation acquire(LockKey key) {
		if (this.observations.isNoop()) {
			return null;
		}
		LockObservation attempt = observation(LockObservationContext.ofAttempt(key));
		if (attempt != null) {
			attempt.start();
		}
		return attempt;
	}

	/**
	 * Returns an observation of the lease that was granted to an attempt.
	 * @return the observation; {@code null} if leases are not observed
	 */
	public @Nullable HoldObservation hold(@Nullable LockObservation attempt) {
		return (attempt != null) ? new HoldObservation(this, attempt) : null;
	}

	/**
	 * Returns an observation that has not begun; {@code null} if a predicate or handler
	 * of the application fails.
	 */
	@Nullable LockObservation observation(LockObservationContext context) {
		try {
			return new LockObservation(context, this.observations, this.convention);
		}
		catch (Throwable ex) {
			LockObservation.failed(ex);
			return null;
		}
	}

	/**
	 * Counts and logs the end of an attempt or a lease. May run code of the application,
	 * so it must not be called on a thread of the engine.
	 * @param since the time of its start
	 * @param request the request that it belongs to, if it is known
	 */
	public void ended(LockKey key, Event outcome, long since, @Nullable String request) {
		try {
			this.counts.add(key.name(), outcome);
			if (logger.isDebugEnabled()) {
				logger.debug("Lock '%s', key '%s'%s: %s after %d ms".formatted(key.name(), logged(key),
						(request != null) ? ", " + request : "", outcome.label(),
						TimeUnit.NANOSECONDS.toMillis(this.runtime.nanoTime() - since)));
			}
		}
		catch (Throwable ex) {
			LockObservation.failed(ex);
		}
	}

	private static String logged(LockKey key) {
		String text = key.key();
		return PLAIN.matcher(text).matches() ? text : LockKey.ofDigest(key.name(), text).key();
	}

	/**
	 * Counts an event. The first event of a lock name registers meters, which runs code
	 * of the application, on a thread for listeners.
	 */
	public void count(LockKey key, Event event) {
		if (this.counts.knows(key.name())) {
			this.counts.add(key.name(), event);
		}
		else {
			this.runtime.listeners().execute(() -> this.counts.add(key.name(), event));
		}
	}

	/** Records an answer of the store of a lock. */
	public void storeAnswered(LockKey key, @Nullable Throwable failure) {
		if (failure != null) {
			count(key, Event.STORE_ERROR);
		}
		OutageLog outages = this.outages.get(this.stores.nameOf(key.name()));
		if (outages != null) {
			outages.answered(failure);
		}
	}

	/**
	 * Notifies the application of a lost lease. Must be called on a thread for listeners.
	 */
	public void lost(LockKey key, long fencingToken) {
		this.losses.accept(new LeaseLostEvent(key, fencingToken));
	}

}
