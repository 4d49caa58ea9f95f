package io.github.lockstarter.registry.simulation;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

import io.github.lockstarter.store.Capability;

/**
 * Injects the faults of a scenario, and ends all of them at the end.
 */
final class FaultInjector {

	/** The prefixes of the names of the commands at which faults are injected. */
	private static final String[] COMMANDS = { "", "acquire", "release", "renewal", "hand-over" };

	private final SimulatedWorld world;

	private final List<SimulatedProcess> processes;

	private final Invariants invariants;

	private final RandomGenerator random;

	private int born;

	private boolean over;

	/**
	 * Creates faults.
	 * @param processes the live processes; new ones replace killed ones
	 */
	FaultInjector(SimulatedWorld world, List<SimulatedProcess> processes, Invariants invariants) {
		this.world = world;
		this.processes = processes;
		this.invariants = invariants;
		this.random = world.random();
	}

	/** Starts new processes. */
	void begin() {
		for (int i = 0; i < this.world.scenario().processes(); i++) {
			bear();
		}
	}

	private void bear() {
		SimulatedProcess process = new SimulatedProcess("process " + ++this.born, this.world, this.world.newClock());
		this.processes.add(process);
		process.store().whenReconnected(() -> this.invariants.leases().reconnected(process));
		process.whenReleased(() -> this.invariants.leases().released(process));
		if (this.random.nextInt(4) == 0 && this.world.scenario().can(Capability.KEEPS_RESULTS)) {
			process.registry().prepareSharing("simulated");
		}
	}

	/** Schedules the faults. */
	void plan() {
		for (Fault fault : this.world.scenario().faults()) {
			int times = 1 + this.random.nextInt(4);
			for (int i = 0; i < times; i++) {
				long time = this.random.nextLong(this.world.scenario().duration());
				this.world.events().at(time, () -> lurk(fault));
			}
		}
	}

	/** Many faults have the most effect while a command is in flight. */
	private void lurk(Fault fault) {
		SimulatedProcess process = any();
		if (this.random.nextBoolean()) {
			strikeNow(fault, process);
		}
		else {
			process.store()
				.onCommand(COMMANDS[this.random.nextInt(COMMANDS.length)],
						() -> later(this.random.nextLong(4 * this.world.scenario().latency()),
								() -> strikeNow(fault, process)));
		}
	}

	private void strikeNow(Fault fault, SimulatedProcess process) {
		if (!this.over && this.processes.contains(process)) {
			strike(fault, process);
		}
	}

	/** Ends all faults. */
	void end() {
		this.over = true;
		this.world.network().heal();
		if (!this.world.server().isAvailable()) {
			this.world.server().thaw();
		}
		for (SimulatedProcess process : this.processes) {
			process.store().heal();
			process.store().link().mute(false);
			process.store().link().mend(true);
			process.resume();
		}
	}

	private void strike(Fault fault, SimulatedProcess process) {
		SimulatedServer server = this.world.server();
		switch (fault) {
			case CUTS -> cut(process);
			case RESETS -> process.store().reset();
			case REPEATS -> process.store().repeat(time(300));
			case MUTENESS -> mute(process);
			case FREEZES -> {
				server.freeze();
				later(time(2000), server::thaw);
			}
			case RESTARTS -> replace(server::startEmpty);
			case FAILOVERS -> {
				server.replicate();
				later(millis(1, 500), () -> replace(server::failOver));
			}
			case PAUSES -> {
				process.pause();
				later(time(4000), process::resume);
			}
			case KILLS -> {
				process.kill();
				bury(process);
			}
			case JUMPS -> server.setClock(this.random.nextBoolean() ? time(5000) : -time(5000));
			case SHUTDOWNS -> shutDown(process);
			default -> {
				// Occurs continuously, without being scheduled.
			}
		}
	}

	private SimulatedProcess any() {
		return this.processes.get(this.random.nextInt(this.processes.size()));
	}

	private void later(long nanos, Runnable action) {
		this.world.events().at(this.world.events().now() + nanos, action);
	}

	/** Returns a random duration, or one in which a lease may expire. */
	private long time(long maxMillis) {
		long ttl = this.world.scenario().ttl();
		return (this.random.nextBoolean() && ttl < maxMillis) ? this.random.nextLong(ttl * 1_300_000)
				: millis(1, maxMillis);
	}

	private long millis(long min, long max) {
		return TimeUnit.MILLISECONDS.toNanos((long) (min * Math.pow((double) max / min, this.random.nextDouble())));
	}

	private void cut(SimulatedProcess process) {
		process.store().link().cut();
		this.world.trace().add(process.name(), () -> "is cut off");
		boolean deliver = this.random.nextBoolean();
		later(time(1500), () -> {
			this.world.trace().add(process.name(), () -> "is connected, with what was sent: " + deliver);
			process.store().link().mend(deliver);
		});
	}

	private void mute(SimulatedProcess process) {
		process.store().link().mute(true);
		later(millis(10, 3000), () -> process.store().link().mute(false));
	}

	/** The server is unavailable until a replica or a restart replaces it. */
	private void replace(Runnable start) {
		SimulatedServer server = this.world.server();
		server.stop();
		long time = millis(1, 300);
		later(time, () -> {
			start.run();
			this.processes.forEach((process) -> process.run(process.store()::reset));
		});
	}

	private void bury(SimulatedProcess process) {
		this.processes.remove(process);
		this.invariants.callers().died(process);
		if (this.processes.isEmpty() || this.random.nextInt(4) > 0) {
			bear();
		}
	}

	private void shutDown(SimulatedProcess process) {
		process.run(() -> {
			process.drain();
			this.invariants.callers().drained(process);
			process.after(millis(1, 300), () -> process.release(() -> {
				if (this.random.nextBoolean() || this.over) {
					process.open();
				}
				else {
					process.close();
					this.closed(process);
				}
			}));
		});
	}

	private void closed(SimulatedProcess process) {
		if (this.processes.remove(process)) {
			process.kill();
			this.invariants.callers().died(process);
			bear();
		}
	}

}
