package io.github.lockstarter.registry.simulation;

/**
 * The monotonic clock of a machine: it began anywhere, and goes a little too fast or too
 * slow.
 *
 * @param offset what it showed when the schedule began; it may overflow soon after
 * @param drift by how many millionths it is too fast
 */
record SimulatedClock(long offset, long drift) {

	private static final long MILLION = 1_000_000;

	/** Returns what it shows at a time of the schedule. */
	long read(long time) {
		return this.offset + time + time * this.drift / MILLION;
	}

	/** Returns how long the clock takes for so much of its own time; no less. */
	long toTime(long nanos) {
		return (this.drift == 0) ? nanos : Math.floorDiv(nanos * MILLION, MILLION + this.drift) + 2;
	}

	/**
	 * Returns how much of a time to live may be left by this clock when it is over by
	 * another one: nothing, unless this one is slower.
	 */
	long margin(long ttl, SimulatedClock server) {
		return (this.drift >= server.drift) ? 0 : ttl * (server.drift - this.drift) / (MILLION + server.drift) + 2;
	}

}
