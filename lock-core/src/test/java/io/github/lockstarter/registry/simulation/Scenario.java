package io.github.lockstarter.registry.simulation;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

import io.github.lockstarter.store.Capability;

/**
 * The parameters of a schedule, all drawn from its seed.
 *
 * @param processes the number of processes
 * @param keys the number of locks
 * @param acquisitions the number of acquisitions
 * @param duration the time of acquisitions and faults
 * @param faults the kinds of faults
 * @param capabilities the capabilities of the store
 * @param reportsRemaining whether the store reports the remaining time of a held lock
 * @param reportsToken whether the store reports the fencing token of a holder
 * @param sharedFence whether all locks share one counter of fencing tokens
 * @param extraTtl the time by which the store extends each time to live that it is given
 * @param commandTimeout the timeout of the store's client
 * @param latency the minimum time of a message
 * @param maxWaiters the maximum number of waiters for a lock in a process
 * @param ttl the time to live that most callers ask for
 * @param leases the share of callers that want a lease only
 * @param tries the share of callers that do not wait
 * @param keeping the share of callers with hold-at-least
 * @param failing the share of failures among the messages, steps and commands that can
 * fail
 * @param comparesAndDeletes whether the server has a command to compare and delete, which
 * does not notify
 */
record Scenario(int processes, int keys, int acquisitions, long duration, Set<Fault> faults,
		Set<Capability> capabilities, boolean reportsRemaining, boolean reportsToken, boolean sharedFence,
		long extraTtl, long commandTimeout, long latency, int maxWaiters, long ttl, double leases, double tries,
		double keeping, double failing, boolean comparesAndDeletes) {

	/**
	 * The time allowed for steps that only wait for a timer or for another thread.
	 */
	static final long SLACK = TimeUnit.MILLISECONDS.toNanos(5);

	/** The maximum delay of timers and application code, without faults. */
	static final long JITTER = TimeUnit.MICROSECONDS.toNanos(200);

	/** The maximum drift of a machine's clock, in millionths. */
	static final int MAX_DRIFT = 20_000;

	private static final long[] TTLS = { 20, 100, 400, 1000, 3000, 10_000 };

	/** The faults with which every message still arrives soon. */
	private static final Set<Fault> PROMPT = EnumSet.of(Fault.REPEATS, Fault.REORDERING, Fault.KILLS, Fault.DRIFT,
			Fault.LATE_TIMERS, Fault.SLOW_CALLBACKS, Fault.SHUTDOWNS);

	private static final double[] FAILING = { 0.005, 0.02, 0.1 };

	static final long MAX_DELAY = TimeUnit.SECONDS.toNanos(1);

	static final long MAX_LATENESS = TimeUnit.MILLISECONDS.toNanos(300);

	static Scenario draw(RandomGenerator random) {
		Set<Fault> faults = drawFaults(random);
		Set<Capability> capabilities = EnumSet.noneOf(Capability.class);
		boolean notifies = random.nextInt(3) > 0;
		addIf(notifies, capabilities, Capability.NOTIFIES);
		addIf(notifies && random.nextInt(4) > 0, capabilities, Capability.HANDS_OVER);
		addIf(random.nextInt(4) > 0, capabilities, Capability.KEEPS_RESULTS);
		addIf(random.nextInt(4) > 0, capabilities, Capability.HOLDS_FOR_TOKENS);
		addIf(random.nextInt(4) > 0, capabilities, Capability.ACQUIRES_ALL);
		boolean reports = notifies || random.nextBoolean();
		return new Scenario(2 + random.nextInt(4), 1 + random.nextInt(3), 10 + random.nextInt(150),
				TimeUnit.MILLISECONDS.toNanos(500 + random.nextInt(6000)), faults, capabilities, reports,
				random.nextBoolean(), random.nextBoolean(),
				(notifies || random.nextBoolean()) ? 0 : TimeUnit.MILLISECONDS.toNanos(random.nextInt(1500)),
				TimeUnit.MILLISECONDS.toNanos(50 + random.nextInt(450)),
				TimeUnit.MICROSECONDS.toNanos(20 + random.nextInt(1000)),
				random.nextBoolean() ? 64 : 1 + random.nextInt(12), anyTtl(random), random.nextDouble(0.05, 0.95),
				random.nextDouble(0.05, 0.6), (random.nextInt(3) > 0) ? 0 : random.nextDouble(0.05, 1),
				FAILING[random.nextInt(FAILING.length)], notifies && random.nextBoolean());
	}

	/**
	 * Draws the faults. Often there are none, or none that delays messages, or only lost
	 * notifications.
	 */
	private static Set<Fault> drawFaults(RandomGenerator random) {
		Set<Fault> faults = EnumSet.noneOf(Fault.class);
		int kind = random.nextInt(7);
		if (kind == 6) {
			return EnumSet.of(Fault.MUTENESS);
		}
		double share = (kind == 0) ? 0 : random.nextDouble(0.05, 0.6);
		for (Fault fault : (kind <= 2) ? PROMPT : EnumSet.allOf(Fault.class)) {
			if (random.nextDouble() < share) {
				faults.add(fault);
			}
		}
		return faults;
	}

	/** Returns a time to live, in milliseconds. */
	static long anyTtl(RandomGenerator random) {
		return TTLS[random.nextInt(TTLS.length)];
	}

	private static void addIf(boolean condition, Set<Capability> capabilities, Capability capability) {
		if (condition) {
			capabilities.add(capability);
		}
	}

	boolean has(Fault fault) {
		return this.faults.contains(fault);
	}

	boolean can(Capability capability) {
		return this.capabilities.contains(capability);
	}

	/** Whether the only disturbance is that callers give up. */
	boolean isCalm() {
		return this.faults.isEmpty();
	}

	/** Whether every message arrives soon. */
	boolean isPrompt() {
		return PROMPT.containsAll(this.faults);
	}

	/** The maximum delay before application code runs. */
	long callbackDelay() {
		return has(Fault.SLOW_CALLBACKS) ? MAX_LATENESS : JITTER;
	}

	long timerDelay() {
		return has(Fault.LATE_TIMERS) ? MAX_LATENESS : JITTER;
	}

	/** The maximum time until the store's client answers or fails. */
	long longestAnswer() {
		boolean soon = isPrompt() || (has(Fault.MUTENESS) && this.faults.size() == 1);
		return soon ? Math.min(2 * roundTrip(), this.commandTimeout) : this.commandTimeout;
	}

	/** The maximum time of a message and its answer, unless lost. */
	long roundTrip() {
		return 4 * this.latency + (has(Fault.DELAYS) ? 2 * MAX_DELAY : 0);
	}

}
