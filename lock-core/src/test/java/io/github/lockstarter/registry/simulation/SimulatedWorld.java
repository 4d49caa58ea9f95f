package io.github.lockstarter.registry.simulation;

import java.util.random.RandomGenerator;

/**
 * The parts of a schedule.
 *
 * @param scenario the parameters
 * @param events the next events
 * @param random the only source of randomness
 * @param trace the past events
 * @param server the server of the store
 * @param network the network between processes and server
 * @param violations the violated invariants
 */
record SimulatedWorld(Scenario scenario, EventQueue events, RandomGenerator random, Trace trace, SimulatedServer server,
		SimulatedNetwork network, Violations violations) {

	static SimulatedWorld of(Scenario scenario, RandomGenerator random, boolean traced) {
		EventQueue events = new EventQueue();
		Trace trace = new Trace(events, traced);
		SimulatedServer server = new SimulatedServer(events, scenario, new SimulatedClock(0, drift(scenario, random)),
				trace);
		SimulatedNetwork network = new SimulatedNetwork(events, scenario, random, trace, server);
		return new SimulatedWorld(scenario, events, random, trace, server, network, new Violations());
	}

	/** Returns the clock of another process; it may overflow soon. */
	SimulatedClock newClock() {
		long offset = chance(0.25) ? Long.MAX_VALUE - this.random.nextLong(5_000_000_000L) : this.random.nextLong();
		return new SimulatedClock(offset, drift(this.scenario, this.random));
	}

	private static int drift(Scenario scenario, RandomGenerator random) {
		return scenario.has(Fault.DRIFT) ? random.nextInt(-Scenario.MAX_DRIFT, Scenario.MAX_DRIFT + 1) : 0;
	}

	long now() {
		return this.events.now();
	}

	/** Records that an invariant does not hold. */
	void violated(String what, Object... args) {
		this.violations.report(new InvariantViolation(what.formatted(args)));
	}

	/** Records that an invariant does not hold. */
	void violated(InvariantViolation violation) {
		this.violations.report(violation);
	}

	boolean chance(double probability) {
		return this.random.nextDouble() < probability;
	}

}
