package io.github.lockstarter.store;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * A clock for timeouts that stands still while the process does, for example during a
 * garbage collection or in a container that gets no processor. So the answers that arrive
 * meanwhile are not judged to be late before there was time to read them.
 * <p>
 * It knows that the process runs from ticks. A process that was stopped has no tick for
 * long: of the time since the last one, only {@link #MOST_COUNTED} counts, and so does
 * nothing of the {@link #GRACE} after it. The ticks end some time after the last use.
 * Without ticks, it is an ordinary clock.
 */
public final class PauseAwareClock {

	/** The time between two ticks. */
	static final long TICK = TimeUnit.MILLISECONDS.toNanos(50);

	/** Longer than a tick is late on a busy machine. */
	static final long MOST_COUNTED = 5 * TICK;

	/** For the threads that read what has arrived. */
	static final long GRACE = 2 * TICK;

	/** Added to the longest timeout, so that the ticks outlast each call. */
	private static final long MARGIN = TimeUnit.SECONDS.toNanos(1);

	private final LongSupplier clock;

	private final Ticker ticker;

	private final long lasting;

	private final AtomicBoolean ticking = new AtomicBoolean();

	private volatile State state;

	/** The time of the last use, to one tick. */
	private volatile long used;

	/**
	 * Creates a clock.
	 * @param longest the longest timeout
	 * @param ticker schedules the ticks
	 */
	public PauseAwareClock(Duration longest, Ticker ticker) {
		this(System::nanoTime, longest, ticker);
	}

	PauseAwareClock(LongSupplier clock, Duration longest, Ticker ticker) {
		this.clock = clock;
		this.ticker = ticker;
		this.lasting = longest.toNanos() + MARGIN;
		long now = clock.getAsLong();
		this.state = new State(false, now, 0, now);
		this.used = now;
	}

	/** Returns a time in nanoseconds, to be compared with others of this clock only. */
	public long nanoTime() {
		return this.state.at(this.clock.getAsLong());
	}

	/**
	 * Returns the time at the beginning of a call. It is measured with ticks for at least
	 * the longest timeout.
	 */
	public long begin() {
		long now = nanoTime();
		if (now - this.used > TICK) {
			this.used = now;
		}
		if (!this.ticking.get() && this.ticking.compareAndSet(false, true)) {
			this.used = now;
			tickOn();
		}
		return now;
	}

	private void tickOn() {
		this.state = this.state.ticked(this.clock.getAsLong());
		if (!this.ticker.later(this::tick, TICK)) {
			stop();
		}
	}

	private void tick() {
		if (nanoTime() - this.used > this.lasting) {
			stop();
		}
		else {
			tickOn();
		}
	}

	private void stop() {
		State last = this.state;
		long now = this.clock.getAsLong();
		this.state = new State(false, now, last.stopped, last.at(now));
		this.ticking.set(false);
	}

	/**
	 * Schedules ticks.
	 */
	@FunctionalInterface
	public interface Ticker {

		/**
		 * Runs the tick after a time.
		 * @return {@code false} if it will never run
		 */
		boolean later(Runnable tick, long nanos);

	}

	/**
	 * The state of the clock since the last tick.
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
