package io.github.lockstarter.registry.observe;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;

import io.github.lockstarter.LockCounts.Event;

/**
 * The default convention. It adds the name of the lock as {@code lock}, and at the end of
 * the observation its {@code outcome}, as key values of low cardinality. The key of the
 * lock is not part of any key value.
 */
public class DefaultLockObservationConvention implements LockObservationConvention {

	private static final Map<Event, KeyValue> OUTCOMES = new EnumMap<>(Event.class);

	static {
		EnumSet.allOf(Event.class).forEach((event) -> OUTCOMES.put(event, KeyValue.of("outcome", event.label())));
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
		KeyValue lock = KeyValue.of("lock", context.key().name());
		KeyValue outcome = (context.outcome() != null) ? OUTCOMES.get(context.outcome()) : null;
		return (outcome != null) ? KeyValues.of(lock, outcome) : KeyValues.of(lock);
	}

}
