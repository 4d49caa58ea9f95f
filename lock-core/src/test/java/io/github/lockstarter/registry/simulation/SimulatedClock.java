package io.github.lockstarter.registry.simulation;

/**
 * The monotonic clock of a machine, which starts at any value and is slightly too fast or
 * too slow.
 *
 * @param offset the value at the beginning of the schedule, which may overflow soon after
 * @param drift the excess speed, in millionths
 */
record SimulatedClock(long offset, long drift) {

	private static final long MILLION = 1_000_000;

	/** Returns the value of the clock at a time of the schedule. */
	long read(long time) {
		return this.offset + time + time * this.drift / MILLION;
	}

	/**
	 * Returns the time of the schedule in which the clock advances by the given time,
	 * rounded up.
	 */
	long toTime(long nanos) {
		return (this.drift == 0) ? nanos : Math.floorDiv(nanos * MILLION, MILLION + this.drift) + 2;
	}

	/**
	 * Returns the maximum part of a time to live that remains on this clock when it is
	 * over on another clock: none, unless this clock is slower.
	 */
	long margin(long ttl, SimulatedClock server) {
		return (this.drift >= server.drift) ? 0 : ttl * (server.drift - this.drift) / (MILLION + server.drift) + 2;
	}

}
