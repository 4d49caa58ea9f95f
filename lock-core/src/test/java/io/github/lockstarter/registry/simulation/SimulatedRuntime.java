package io.github.lockstarter.registry.simulation;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

import io.github.lockstarter.registry.runtime.EngineRuntime;

/**
 * The time, threads and randomness of a process.
 */
final class SimulatedRuntime implements EngineRuntime {

	private final SimulatedProcess process;

	private final SimulatedWorld world;

	private final Set<Alarm> alarms = new LinkedHashSet<>();

	private boolean closed;

	SimulatedRuntime(SimulatedProcess process, SimulatedWorld world) {
		this.process = process;
		this.world = world;
	}

	@Override
	public long nanoTime() {
		return this.process.nanoTime();
	}

	@Override
	public Alarm schedule(Runnable step, long delayNanos) {
		if (this.closed) {
			return () -> {
			};
		}
		ScheduledStep scheduled = new ScheduledStep();
		this.alarms.add(scheduled);
		this.process.after(Math.max(delayNanos, 0) + lateness(Fault.LATE_TIMERS, this.world.scenario().timerDelay()),
				() -> {
					if (this.alarms.remove(scheduled)) {
						step.run();
					}
				});
		return scheduled;
	}

	private long lateness(Fault fault, long max) {
		boolean late = this.world.scenario().has(fault) && this.world.chance(this.world.scenario().failing());
		return this.world.random().nextLong(late ? max : Scenario.JITTER);
	}

	@Override
	public Executor callbacks() {
		return (task) -> this.process.after(lateness(Fault.SLOW_CALLBACKS, this.world.scenario().callbackDelay()),
				task);
	}

	@Override
	public Executor listeners() {
		return callbacks();
	}

	@Override
	public RandomGenerator random() {
		return this.world.random();
	}

	@Override
	public boolean isClosed() {
		return this.closed;
	}

	@Override
	public void close() {
		this.closed = true;
		this.alarms.clear();
	}

	/** Returns the number of scheduled steps. */
	int alarms() {
		return this.alarms.size();
	}

	private final class ScheduledStep implements Alarm {

		@Override
		public void cancel() {
			SimulatedRuntime.this.alarms.remove(this);
		}

	}

}
