package io.github.lockstarter.registry.runtime;

import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * The time, the threads and the randomness of a registry. Another implementation decides
 * what happens when, so that the whole engine can run from a seed.
 */
public interface EngineRuntime extends AutoCloseable {

	/**
	 * Returns the time of a monotonic clock, like {@link System#nanoTime()}.
	 */
	long nanoTime();

	/**
	 * Runs a step of the engine when the time has passed. It does not block, and runs no
	 * code of the application.
	 * @param step the step
	 * @param delayNanos after which time; at once if it is not positive, but never within
	 * this call
	 * @return cancels the step
	 */
	Alarm schedule(Runnable step, long delayNanos);

	/**
	 * Returns where the code of the application runs: it may block, and throw anything.
	 * The executor takes every task, also after {@link #close()}.
	 */
	Executor callbacks();

	/**
	 * Returns the source of owner tokens and of jitter.
	 */
	RandomGenerator random();

	/** Returns whether {@link #close()} was called. */
	boolean isClosed();

	/** Drops the steps that are scheduled, and ends the threads. */
	@Override
	void close();

	/**
	 * A step that is scheduled.
	 */
	@FunctionalInterface
	interface Alarm {

		/** Cancels the step, unless it has begun. */
		void cancel();

	}

}
