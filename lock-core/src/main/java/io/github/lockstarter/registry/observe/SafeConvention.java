package io.github.lockstarter.registry.observe;

import java.util.Objects;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import org.jspecify.annotations.Nullable;

/**
 * A convention for one observation that never throws an exception. With an exception, an
 * observation could begin and never end, and its handlers would keep it.
 *
 * @param name the name of the observation
 * @param convention returns its key values
 */
record SafeConvention(String name,
		LockObservationConvention convention) implements ObservationConvention<LockObservationContext> {

	private static final LockObservationConvention DEFAULT = new DefaultLockObservationConvention();

	private static final SafeConvention ACQUIRE = new SafeConvention(LockObservationContext.ACQUIRE, DEFAULT);

	private static final SafeConvention HOLD = new SafeConvention(LockObservationContext.HOLD, DEFAULT);

	/** Returns the default convention. */
	static SafeConvention ofDefault(LockObservationContext context) {
		return context.isHold() ? HOLD : ACQUIRE;
	}

	/**
	 * Returns the convention of the application; {@code null} if it does not support the
	 * observation.
	 */
	static @Nullable SafeConvention of(@Nullable LockObservationConvention convention, LockObservationContext context) {
		try {
			return (convention != null && convention.supportsContext(context))
					? new SafeConvention(Objects.requireNonNull(convention.getName(context)), convention) : null;
		}
		catch (Throwable ex) {
			LockObservation.failed(ex);
			return ofDefault(context);
		}
	}

	@Override
	public boolean supportsContext(Observation.Context context) {
		return true;
	}

	@Override
	public String getName() {
		return this.name;
	}

	@Override
	public @Nullable String getContextualName(LockObservationContext context) {
		try {
			return this.convention.getContextualName(context);
		}
		catch (Throwable ex) {
			LockObservation.failed(ex);
			return DEFAULT.getContextualName(context);
		}
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
		try {
			return Objects.requireNonNull(this.convention.getLowCardinalityKeyValues(context));
		}
		catch (Throwable ex) {
			LockObservation.failed(ex);
			return DEFAULT.getLowCardinalityKeyValues(context);
		}
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(LockObservationContext context) {
		try {
			return Objects.requireNonNull(this.convention.getHighCardinalityKeyValues(context));
		}
		catch (Throwable ex) {
			LockObservation.failed(ex);
			return DEFAULT.getHighCardinalityKeyValues(context);
		}
	}

}
