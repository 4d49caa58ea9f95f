package io.github.lockstarter.registry.simulation;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

import io.github.lockstarter.store.Capability;

/**
 * The circumstances of a schedule, all of them drawn from its seed.
 *
 * @param processes how many processes there are
 * @param keys how many locks they want
 * @param requests how many requests come
 * @param duration during which time they come, and faults happen
 * @param faults what goes wrong
 * @param capabilities what the store can do
 * @param reportsRemaining whether the store reports how long a lock is still held
 * @param reportsToken whether the store reports the fencing token of a holder
 * @param sharedFence whether all locks share one counter of fencing tokens
 * @param extraTtl how much longer than asked for the store keeps a lock
 * @param commandTimeout how long the client of the store waits for an answer
 * @param latency how long a message takes at least
 * @param maxWaiters how many callers may wait for one lock in a process
 * @param ttl the time to live that most callers ask for
 * @param leases how many of the callers want a lease and nothing else
 * @param tries how many of the callers do not wait
 * @param keeping how many of the callers keep a lock from others for a shortest hold
 * @param failing how many of the messages, steps and requests fail that may
 */
record Scenario(int processes, int keys, int requests, long duration, Set<Fault> faults, Set<Capability> capabilities,
		boolean reportsRemaining, boolean reportsToken, boolean sharedFence, long extraTtl, long commandTimeout,
		long latency, int maxWaiters, long ttl, double leases, double tries, double keeping, double failing) {

	/** For steps that take no time but that of a timer or of another thread. */
	static final long SLACK = TimeUnit.MILLISECONDS.toNanos(5);

	/** How late the timer is, and the code of the application begins, without faults. */
	static final long JITTER = TimeUnit.MICROSECONDS.toNanos(200);

	/** How much the clock of a machine may be too fast or too slow, in millionths. */
	static final int MAX_DRIFT = 20_000;

	private static final long[] TTLS = { 20, 100, 400, 1000, 3000, 10_000 };

	/** With these every message arrives, and soon. */
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
				FAILING[random.nextInt(FAILING.length)]);
	}

	/**
	 * Often nothing happens, or nothing that keeps a message from arriving soon, or
	 * nothing but that notifications are lost.
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

	/** Whether nothing goes wrong but that callers give up. */
	boolean isCalm() {
		return this.faults.isEmpty();
	}

	/** Whether every message arrives, and soon. */
	boolean isPrompt() {
		return PROMPT.containsAll(this.faults);
	}

	/** How long the code of the application may take to begin. */
	long callbackDelay() {
		return has(Fault.SLOW_CALLBACKS) ? MAX_LATENESS : JITTER;
	}

	long timerDelay() {
		return has(Fault.LATE_TIMERS) ? MAX_LATENESS : JITTER;
	}

	/** How long the client of the store may take to answer, or fail. */
	long longestAnswer() {
		boolean soon = isPrompt() || (has(Fault.MUTENESS) && this.faults.size() == 1);
		return soon ? Math.min(2 * roundTrip(), this.commandTimeout) : this.commandTimeout;
	}

	/** How long a message and its answer take at most, unless they are lost. */
	long roundTrip() {
		return 4 * this.latency + (has(Fault.DELAYS) ? 2 * MAX_DELAY : 0);
	}

}
