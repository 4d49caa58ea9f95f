package io.github.lockstarter.registry;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.ObservationView;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;

/**
 * An observation that cannot fail what is observed: its handlers are not ours.
 */
final class Observed {

	private static final Log logger = LogFactory.getLog(Observed.class);

	private final LockContext context;

	private final Observation observation;

	private Observed(String name, LockContext context, ObservationRegistry observations) {
		ObservationView parent = context.getParentObservation();
		this.context = context;
		this.observation = Observation.createNotStarted(name, () -> context, observations);
		if (parent != null) {
			context.setParentObservation(parent);
		}
		quietly(this.observation::start);
	}

	/** Begins to observe an attempt of the calling thread, if anybody observes. */
	static @Nullable Observed acquire(LockKey key, ObservationRegistry observations) {
		return observations.isNoop() ? null
				: new Observed(LockContext.ACQUIRE, new LockContext(key, null), observations);
	}

	/** Begins to observe the lease that came of an attempt, as part of the same. */
	Observed hold(ObservationRegistry observations) {
		LockContext hold = new LockContext(this.context.key(), this.context.request());
		hold.setParentObservation(this.context.getParentObservation());
		return new Observed(LockContext.HOLD, hold, observations);
	}

	LockContext context() {
		return this.context;
	}

	void end(Event outcome, @Nullable Throwable failure) {
		quietly(() -> {
			this.observation.lowCardinalityKeyValue("outcome", outcome.label());
			if (failure != null) {
				this.observation.error(failure);
			}
			this.observation.stop();
		});
	}

	private static void quietly(Runnable action) {
		try {
			action.run();
		}
		catch (RuntimeException ex) {
			logger.error("A handler failed that observes locks", ex);
		}
	}

}
