package io.github.lockstarter.registry.runtime;

import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * The time, the threads and the randomness of a registry. A simulation can replace them,
 * so that the whole engine runs deterministically from a seed.
 */
public interface EngineRuntime extends AutoCloseable {

	/**
	 * Returns the time of a monotonic clock, like {@link System#nanoTime()}.
	 */
	long nanoTime();

	/**
	 * Schedules a step of the engine.
	 * @param step the step; it does not block, and runs no code of the application
	 * @param delayNanos the delay in nanoseconds; if it is not positive, the step runs at
	 * once, but never within this call
	 * @return an alarm that can cancel the step
	 */
	Alarm schedule(Runnable step, long delayNanos);

	/**
	 * Returns the executor for answers to callers that block no thread. Their code may
	 * block and throw any exception. The executor rejects no task, even after
	 * {@link #close()}.
	 */
	Executor callbacks();

	/**
	 * Returns the executor for listeners: actions for lost leases, events, and reports to
	 * operators. Listeners may block and throw any exception. No answer to a caller needs
	 * this executor. It rejects and drops no task, even after {@link #close()}.
	 */
	Executor listeners();

	/**
	 * Returns the source of owner tokens and of jitter.
	 */
	RandomGenerator random();

	/** Returns whether {@link #close()} was called. */
	boolean isClosed();

	/** Drops all scheduled steps, and ends the threads. */
	@Override
	void close();

	/**
	 * A scheduled step.
	 */
	@FunctionalInterface
	interface Alarm {

		/** Cancels the step, unless it has begun. */
		void cancel();

	}

}
