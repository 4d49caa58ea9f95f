package io.github.lockstarter.store.redis;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.lettuce.core.resource.ClientResources;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;

import io.github.lockstarter.store.redis.connection.RedisConnections;

/**
 * The timers of the driver. Actions run on its threads, and must not block.
 */
final class DriverTimer {

	private final Supplier<ClientResources> resources;

	private final ReadBarrier barrier;

	DriverTimer(RedisConnections connections) {
		this.resources = () -> connections.client().getResources();
		this.barrier = new ReadBarrier(this.resources);
	}

	/**
	 * Runs the action after a pause.
	 * @return {@code false} if the action will never run: the driver has been shut down,
	 * or cannot start a thread
	 */
	boolean after(long millis, Runnable action) {
		try {
			this.resources.get().eventExecutorGroup().schedule(action, millis, TimeUnit.MILLISECONDS);
			return true;
		}
		catch (Throwable ex) {
			// Includes an Error: the driver starts its threads on first use.
			return false;
		}
	}

	/** Runs the action after a pause; at once if it would never run. */
	void afterOrNow(long millis, Runnable action) {
		if (!after(millis, action)) {
			action.run();
		}
	}

	/**
	 * Runs the action after a pause, when the replies that have arrived by then were
	 * read.
	 * @return {@code false} if the action will never run
	 */
	boolean afterReading(long millis, Runnable action) {
		return after(millis, () -> this.barrier.afterRead(action));
	}

	/** Runs the action when the replies that have arrived so far were read. */
	void afterRead(Runnable action) {
		this.barrier.afterRead(action);
	}

	/**
	 * Runs the task after a time, to the driver's tick of 100 ms.
	 * @throws RuntimeException if the driver has been shut down, or has too many timeouts
	 */
	Timeout timeout(long nanos, TimerTask task) {
		return this.resources.get().timer().newTimeout(task, nanos, TimeUnit.NANOSECONDS);
	}

}
