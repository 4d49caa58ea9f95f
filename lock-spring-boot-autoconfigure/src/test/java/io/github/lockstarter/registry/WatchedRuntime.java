package io.github.lockstarter.registry;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

import io.github.lockstarter.registry.runtime.EngineRuntime;
import io.github.lockstarter.registry.runtime.ThreadedRuntime;

/**
 * The runtime of an application, with alarms that can be seen, and switched off.
 */
final class WatchedRuntime implements EngineRuntime {

	private final ThreadedRuntime runtime = new ThreadedRuntime();

	/** The alarms that are set for later. */
	final Set<Runnable> alarms = ConcurrentHashMap.newKeySet();

	/** Whether no alarm goes off. */
	volatile boolean deaf;

	@Override
	public long nanoTime() {
		return this.runtime.nanoTime();
	}

	@Override
	public Alarm schedule(Runnable step, long delayNanos) {
		if (delayNanos <= 0) {
			return this.runtime.schedule(step, delayNanos);
		}
		Runnable alarm = new Runnable() {

			@Override
			public void run() {
				WatchedRuntime.this.alarms.remove(this);
				if (!WatchedRuntime.this.deaf) {
					step.run();
				}
			}

		};
		this.alarms.add(alarm);
		Alarm scheduled = this.runtime.schedule(alarm, delayNanos);
		return () -> {
			scheduled.cancel();
			this.alarms.remove(alarm);
		};
	}

	@Override
	public Executor callbacks() {
		return this.runtime.callbacks();
	}

	@Override
	public RandomGenerator random() {
		return this.runtime.random();
	}

	@Override
	public boolean isClosed() {
		return this.runtime.isClosed();
	}

	@Override
	public void close() {
		this.runtime.close();
	}

}
