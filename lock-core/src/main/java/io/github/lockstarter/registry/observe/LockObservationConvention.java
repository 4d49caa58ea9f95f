package io.github.lockstarter.registry.observe;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Defines the names and key values of the observations of locks. A bean of this type
 * takes precedence over a {@link io.micrometer.observation.GlobalObservationConvention},
 * which takes precedence over {@link DefaultLockObservationConvention}. Applications can
 * extend the default. A convention may support only the contexts of attempts, or only
 * those of leases. If it throws an exception, the default is used instead.
 * <p>
 * It is called on the thread of a caller, at the start and at the end of an observation.
 */
public interface LockObservationConvention extends ObservationConvention<LockObservationContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof LockObservationContext;
	}

	/**
	 * Returns the name of an observation. The default is {@link #getName()}, or, if that
	 * is {@code null}, {@value LockObservationContext#ACQUIRE} or
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
