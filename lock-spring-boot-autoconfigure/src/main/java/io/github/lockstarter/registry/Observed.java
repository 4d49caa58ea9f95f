package io.github.lockstarter.registry;

import java.util.concurrent.atomic.AtomicBoolean;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
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

	private static final AtomicBoolean told = new AtomicBoolean();

	private final LockContext context;

	private final Observation observation;

	private Observed(String name, LockContext context, ObservationRegistry observations) {
		this.context = context;
		this.observation = Observation.createNotStarted(name, () -> context, observations);
	}

	/** Begins to observe an attempt of the calling thread, if anybody observes. */
	static @Nullable Observed acquire(LockKey key, ObservationRegistry observations) {
		return observations.isNoop() ? null
				: new Observed(LockContext.ACQUIRE, new LockContext(key, null), observations).start();
	}

	/** Begins to observe the lease that came of an attempt, as part of the same. */
	Observed hold(ObservationRegistry observations) {
		LockContext hold = new LockContext(this.context.key(), this.context.request());
		Observed observed = new Observed(LockContext.HOLD, hold, observations);
		// Not what the thread is doing that grants the lock, and may be another holder's.
		hold.setParentObservation(this.context.getParentObservation());
		return observed.start();
	}

	private Observed start() {
		quietly(this.observation::start);
		return this;
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
			if (told.compareAndSet(false, true)) {
				logger.error("A handler failed that observes locks; further failures are not logged", ex);
			}
		}
	}

}
