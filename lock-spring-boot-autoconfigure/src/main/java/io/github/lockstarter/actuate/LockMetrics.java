package io.github.lockstarter.actuate;

import java.util.List;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.registry.LockInspector;
import io.github.lockstarter.registry.observe.LockObservationContext;

/**
 * Registers the meters of locks, by the name of the lock and never by its key. Attempts
 * and leases are timed by the observations {@value LockObservationContext#ACQUIRE} and
 * {@value LockObservationContext#HOLD}.
 */
public final class LockMetrics implements MeterBinder {

	private static final String LOCK = "lock";

	/** The tag of meters about the store. */
	private static final String STORE = "store";

	private static final List<Event> RESULTS = List.of(Event.SHARED, Event.REPLAYED, Event.TOO_LARGE,
			Event.NOT_WRITABLE, Event.NOT_READABLE, Event.NOT_KEPT, Event.RESULT_DROPPED);

	private final LockCounts counts;

	private final LockInspector locks;

	/**
	 * Creates the meters.
	 * @param counts the counted events
	 * @param locks the current holders and waiters
	 */
	public LockMetrics(LockCounts counts, LockInspector locks) {
		this.counts = counts;
		this.locks = locks;
	}

	/** Registers the meters of a lock name at its first event. */
	@Override
	public void bindTo(MeterRegistry registry) {
		this.counts.onName((name) -> bindTo(registry, name));
	}

	private void bindTo(MeterRegistry registry, String name) {
		Gauge.builder("lock.held", () -> this.locks.held(name))
			.tag(LOCK, name)
			.description("Leases that this instance holds")
			.register(registry);
		Gauge.builder("lock.waiters", () -> this.locks.waiters(name))
			.tag(LOCK, name)
			.description("Callers in this instance that wait for a lock")
			.register(registry);
		counter("lock.contended", name, Event.CONTENDED, "Attempts that found the lock held").register(registry);
		counter("lock.queue.full", name, Event.QUEUE_FULL,
				"Attempts that were rejected because lock.max-waiters callers were waiting")
			.register(registry);
		counter("lock.handoffs", name, Event.HANDED_OFF,
				"Leases handed to the next waiter without a command to the store")
			.register(registry);
		String store = this.locks.storeName(name);
		counter("lock.renewals", name, Event.RENEWED, "Renewals of leases").tag(STORE, store).register(registry);
		counter("lock.losses", name, Event.LOST, "Leases that ended before they were released").tag(STORE, store)
			.register(registry);
		counter("lock.store.errors", name, Event.STORE_ERROR, "Commands to the store that failed").tag(STORE, store)
			.register(registry);
		counter("lock.skips", name, Event.SKIPPED, "Calls that were skipped, because the lock was held")
			.register(registry);
		counter("lock.unguarded", name, Event.UNGUARDED, "Calls that ran without the lock, because the store failed")
			.register(registry);
		counter("lock.events.dropped", name, Event.EVENT_DROPPED,
				"Events of rejected or skipped calls that were not published, because listeners were slow")
			.register(registry);
		RESULTS
			.forEach((event) -> counter("lock.results", name, event, "Results of holders for other callers, by outcome")
				.tag("outcome", event.label())
				.register(registry));
	}

	private FunctionCounter.Builder<LockCounts> counter(String meter, String name, Event event, String description) {
		return FunctionCounter.builder(meter, this.counts, (counts) -> counts.get(name, event))
			.tag(LOCK, name)
			.description(description);
	}

}
