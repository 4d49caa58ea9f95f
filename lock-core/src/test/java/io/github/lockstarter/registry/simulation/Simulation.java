package io.github.lockstarter.registry.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockCounts.Event;

/**
 * One schedule, which is determined by its seed.
 */
final class Simulation {

	/** The time within which everything ends after the last fault. */
	private static final long LONGEST_END = TimeUnit.SECONDS.toNanos(60);

	private final long seed;

	private final SimulatedWorld world;

	private final List<SimulatedProcess> processes = new ArrayList<>();

	private final Invariants invariants;

	private Simulation(long seed, boolean traced) {
		this.seed = seed;
		SplittableRandom random = new SplittableRandom(seed);
		this.world = SimulatedWorld.of(Scenario.draw(random), random, traced);
		this.invariants = new Invariants(this.world);
	}

	/** Runs the schedule of a seed. */
	static Outcome run(long seed, boolean traced) {
		Simulation simulation = new Simulation(seed, traced);
		simulation.run();
		return simulation.outcome();
	}

	private void run() {
		EventQueue events = this.world.events();
		this.world.trace().add("schedule", () -> "seed " + this.seed + ", " + this.world.scenario());
		FaultInjector faultInjector = new FaultInjector(this.world, this.processes, this.invariants);
		Workload workload = new Workload(this.world, this.processes, this.invariants);
		faultInjector.begin();
		faultInjector.plan();
		workload.plan();
		long end = this.world.scenario().duration();
		events.at(end, () -> {
			this.world.trace().add("schedule", () -> "nothing fails any more, and no caller arrives");
			workload.end();
			faultInjector.end();
		});
		while (events.nextTime() <= end + LONGEST_END && this.world.violations().first() == null) {
			this.invariants.guard(events::runNext);
			this.invariants.check();
		}
		if (this.world.violations().first() != null) {
			return;
		}
		if (events.nextTime() != Long.MAX_VALUE) {
			this.world.violated("Something is still going on after a minute in which no caller arrived");
			return;
		}
		events.at(end + LONGEST_END, () -> this.invariants.checkEnd(this.processes));
		this.invariants.guard(events::runNext);
	}

	private Outcome outcome() {
		EventQueue events = this.world.events();
		return new Outcome(this.seed, this.world.scenario(), events.steps(), events.fingerprint(),
				this.invariants.callers().counts(), this.invariants.callers().mostMissed(),
				this.world.violations().first(), this.world.trace().lines());
	}

	/**
	 * The result of a schedule.
	 *
	 * @param seed the seed of the schedule
	 * @param scenario the circumstances
	 * @param steps the number of steps
	 * @param fingerprint the fingerprint of the times of all steps
	 * @param counts the counts of the processes that existed at the end
	 * @param mostMissed the maximum number of turns of others that a process had to wait
	 * for
	 * @param violation the violated invariant, if any
	 * @param trace the events, if they were traced
	 */
	record Outcome(long seed, Scenario scenario, long steps, long fingerprint, Map<Event, Long> counts, int mostMissed,
			@Nullable InvariantViolation violation, List<String> trace) {
	}

}
