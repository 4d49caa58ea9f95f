package io.github.lockstarter.registry.observe;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockCounts.Event;

/**
 * An observation of an attempt or of a lease. Its handlers are code of the application,
 * and their exceptions affect no caller.
 */
public final class LockObservation {

	private static final Log logger = LogFactory.getLog(LockObservation.class);

	private static final AtomicBoolean failureLogged = new AtomicBoolean();

	private final LockObservationContext context;

	private final Observation observation;

	/**
	 * Creates an observation that has not begun.
	 * @param convention the convention of the application, if it has one
	 */
	LockObservation(LockObservationContext context, ObservationRegistry observations,
			@Nullable LockObservationConvention convention) {
		this.context = context;
		this.observation = Observation.createNotStarted(SafeConvention.of(convention, context),
				SafeConvention.ofDefault(context), () -> context, observations);
	}

	void start() {
		quietly(this.observation::start);
	}

	/** Returns the HTTP request that it belongs to, if it is known. */
	public @Nullable String request() {
		return this.context.request();
	}

	LockObservationContext context() {
		return this.context;
	}

	/**
	 * Ends the observation of an attempt. Runs code of the application, so it must not be
	 * called on a thread of the engine.
	 * @param waited the time it waited for another holder; {@code null} if it did not
	 * wait
	 */
	public void stop(Event outcome, @Nullable Duration waited, @Nullable Throwable failure) {
		this.context.setWaited(waited);
		stop(outcome, failure);
	}

	void stop(Event outcome, @Nullable Throwable failure) {
		this.context.setOutcome(outcome);
		quietly(() -> {
			if (failure != null) {
				this.observation.error(failure);
			}
			this.observation.stop();
		});
	}

	/**
	 * Runs code of the application, and logs what it throws, including an {@code Error}.
	 */
	static void quietly(Runnable action) {
		try {
			action.run();
		}
		catch (Throwable ex) {
			failed(ex);
		}
	}

	/** Logs a failure of the application that affects no caller. */
	static void failed(Throwable failure) {
		if (failureLogged.compareAndSet(false, true)) {
			logger.error("A handler for observations of locks failed; further failures are not logged", failure);
		}
	}

}
