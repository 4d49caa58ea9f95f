package io.github.lockstarter;

import java.time.Duration;

/**
 * The wait time of a caller that acquires several locks one after the other, or one lock
 * repeatedly. It starts with the first acquisition, and is not restarted. For registries
 * and for the advice, not for applications; for one thread at a time.
 */
public final class WaitBudget {

	/** A caller that may wait never becomes one that does not. */
	private static final Duration SHORTEST = Duration.ofMillis(1);

	private boolean begun;

	private long begin;

	/**
	 * Returns the options of the next acquisition.
	 * @param options the options, with the whole wait time
	 * @return the options with the wait time that is left, which is at least 1 ms; the
	 * same options for the first acquisition, and for one that does not wait
	 */
	public LockOptions next(LockOptions options) {
		if (!this.begun) {
			this.begun = true;
			this.begin = System.nanoTime();
			return options;
		}
		if (options.waitTime().isZero()) {
			return options;
		}
		Duration left = options.waitTime().minusNanos(System.nanoTime() - this.begin);
		return options.withWaitTime((left.compareTo(SHORTEST) > 0) ? left : SHORTEST);
	}

}
