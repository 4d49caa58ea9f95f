package io.github.lockstarter.store;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A clock for time-outs that stands still while the process does, for example during a
 * garbage collection or in a container that gets no processor. So the answers that arrive
 * meanwhile are not judged to be late before there was time to read them.
 * <p>
 * It knows that the process runs from ticks. A process that was stopped has no tick for
 * long: of the time since the last one, only {@link #MOST_COUNTED} counts, and so does
 * nothing of the {@link #GRACE} after it. Without ticks, it is an ordinary clock.
 */
final class RunningTime {

	/** The time between two ticks. */
	static final long TICK = TimeUnit.MILLISECONDS.toNanos(50);

	/** Longer than a tick is late on a busy machine. */
	static final long MOST_COUNTED = 5 * TICK;

	/** For the threads that read what has arrived. */
	static final long GRACE = 2 * TICK;

	private final LongSupplier clock;

	private volatile State state;

	/**
	 * Creates a clock without ticks.
	 * @param clock the clock of the machine, in nanoseconds
	 */
	RunningTime(LongSupplier clock) {
		this.clock = clock;
		long now = clock.getAsLong();
		this.state = new State(false, now, 0, now);
	}

	/** Returns a time in nanoseconds, to be compared with others of this clock only. */
	long nanoTime() {
		return this.state.at(this.clock.getAsLong());
	}

	/** To be called at least once per {@link #TICK} from now on. */
	void tick() {
		this.state = this.state.ticked(this.clock.getAsLong());
	}

	/** Ends the ticks. */
	void stop() {
		State last = this.state;
		long now = this.clock.getAsLong();
		this.state = new State(false, now, last.stopped, last.at(now));
	}

	/**
	 * What is known since the last tick.
	 *
	 * @param ticking whether there will be another tick
	 * @param last the time of the last tick on the clock of the machine
	 * @param stopped the time that does not count
	 * @param least the time that was returned already
	 */
	private record State(boolean ticking, long last, long stopped, long least) {

		long at(long now) {
			long counted = this.ticking ? Math.min(now - this.last, MOST_COUNTED) : now - this.last;
			long time = this.last + counted - this.stopped;
			return (time - this.least > 0) ? time : this.least;
		}

		State ticked(long now) {
			long lost = this.ticking ? now - this.last - MOST_COUNTED : 0;
			return new State(true, now, (lost > 0) ? this.stopped + lost + GRACE : this.stopped, at(now));
		}

	}

}
