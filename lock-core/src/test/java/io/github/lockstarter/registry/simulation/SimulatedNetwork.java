package io.github.lockstarter.registry.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Transmits messages between the processes and the server, with the faults of the
 * scenario.
 */
final class SimulatedNetwork {

	private final EventQueue events;

	private final Scenario scenario;

	private final RandomGenerator random;

	private final Trace trace;

	private final SimulatedServer server;

	private boolean healed;

	SimulatedNetwork(EventQueue events, Scenario scenario, RandomGenerator random, Trace trace,
			SimulatedServer server) {
		this.events = events;
		this.scenario = scenario;
		this.random = random;
		this.trace = trace;
		this.server = server;
	}

	/** Ends all faults. */
	void heal() {
		this.healed = true;
	}

	/** Returns a new connection of a process. */
	Link link(SimulatedProcess process) {
		return new Link(process);
	}

	private boolean happens(Fault fault) {
		return !this.healed && this.scenario.has(fault) && this.random.nextDouble() < this.scenario.failing();
	}

	private long nextDelay() {
		long delay = this.scenario.latency() + this.random.nextLong(this.scenario.latency());
		return happens(Fault.DELAYS) ? delay + this.random.nextLong(Scenario.MAX_DELAY) : delay;
	}

	/** The direction of a message; messages of one direction stay in order. */
	private enum Direction {

		COMMAND, REPLY, NOTIFICATION

	}

	/**
	 * The connections of a process to the server.
	 */
	final class Link {

		private final SimulatedProcess process;

		private final long[] last = new long[Direction.values().length];

		private final List<Runnable> stuck = new ArrayList<>();

		/** The number of resets. */
		private int generation;

		private boolean cut;

		/** The time of the last repair. */
		private long mended;

		private boolean mute;

		private Link(SimulatedProcess process) {
			this.process = process;
		}

		boolean isCut() {
			return this.cut;
		}

		long mended() {
			return this.mended;
		}

		/**
		 * Sends a command.
		 * @param repeated runs if the command may arrive twice
		 * @param command runs when it has arrived
		 */
		void command(String what, Runnable repeated, Runnable command) {
			Runnable arrival = () -> SimulatedNetwork.this.server.receive(command);
			if (happens(Fault.REPEATS)) {
				SimulatedNetwork.this.trace.add(this.process.name(), () -> what + " is sent twice");
				repeated.run();
				int generation = this.generation;
				long late = SimulatedNetwork.this.random.nextLong(Scenario.MAX_DELAY / 4);
				SimulatedNetwork.this.events.at(SimulatedNetwork.this.events.now() + late,
						() -> carry(Direction.COMMAND, generation, what, arrival));
			}
			carry(Direction.COMMAND, this.generation, what, arrival);
		}

		/**
		 * Sends a reply; it runs in the process.
		 * @param arrived runs when it has arrived, even if the process stands still
		 */
		void reply(String what, Runnable arrived, Runnable reply) {
			carry(Direction.REPLY, this.generation, "reply to " + what, () -> {
				arrived.run();
				this.process.run(reply);
			});
		}

		/** Sends a notification; it runs in the process. */
		void inform(String what, Runnable notification) {
			if (!this.mute) {
				carry(Direction.NOTIFICATION, this.generation, what, () -> this.process.run(notification));
			}
		}

		private void carry(Direction direction, int generation, String what, Runnable arrival) {
			if (this.cut) {
				this.stuck.add(() -> carry(direction, generation, what, arrival));
				return;
			}
			if (happens(Fault.DROPS)) {
				SimulatedNetwork.this.trace.add("network", () -> what + " of " + this.process.name() + " is lost");
				return;
			}
			long time = SimulatedNetwork.this.events.now() + nextDelay();
			if (!SimulatedNetwork.this.scenario.has(Fault.REORDERING)) {
				time = Math.max(time, this.last[direction.ordinal()]);
				this.last[direction.ordinal()] = time;
			}
			SimulatedNetwork.this.events.at(time, () -> {
				if (generation == this.generation || survives(direction)) {
					arrival.run();
				}
			});
		}

		/** The server may still read messages of a connection that was reset. */
		private boolean survives(Direction direction) {
			return direction == Direction.COMMAND && SimulatedNetwork.this.random.nextInt(3) == 0;
		}

		void cut() {
			this.cut = true;
		}

		/** Undelivered messages arrive now, or are lost. */
		void mend(boolean deliver) {
			this.cut = false;
			this.mended = SimulatedNetwork.this.events.now();
			List<Runnable> messages = List.copyOf(this.stuck);
			this.stuck.clear();
			if (deliver) {
				messages.forEach(Runnable::run);
			}
		}

		/** All, or almost all, messages in flight are lost. */
		void reset() {
			this.generation++;
		}

		void mute(boolean mute) {
			this.mute = mute;
		}

	}

}
