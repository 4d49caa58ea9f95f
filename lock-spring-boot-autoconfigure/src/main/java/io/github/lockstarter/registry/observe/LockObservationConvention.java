package io.github.lockstarter.registry.observe;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Names the observations of locks, and gives them their key values. A bean of this type
 * takes precedence over a {@link io.micrometer.observation.GlobalObservationConvention},
 * and that one over {@link DefaultLockObservationConvention}, which is there to be
 * extended. A convention may support the contexts of attempts only, or those of leases.
 * Where it throws, the default takes its place.
 * <p>
 * It is asked on the thread of a caller, at the begin and at the end of an observation.
 */
public interface LockObservationConvention extends ObservationConvention<LockObservationContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof LockObservationContext;
	}

	/**
	 * Returns the name of an observation. By default it is that of {@link #getName()},
	 * and if there is none, {@value LockObservationContext#ACQUIRE} or
	 * {@value LockObservationContext#HOLD}.
	 * @param context the context of the observation
	 * @return the name
	 */
	default String getName(LockObservationContext context) {
		String name = getName();
		if (name != null) {
			return name;
		}
		return context.isHold() ? LockObservationContext.HOLD : LockObservationContext.ACQUIRE;
	}

}
