package io.github.lockstarter.registry.entry;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.registry.acquisition.Acquisition;
import io.github.lockstarter.registry.runtime.EngineRuntime;
import io.github.lockstarter.registry.runtime.EngineRuntime.Alarm;

/**
 * The alarm at which a queue polls the store without a notification: a notification may
 * be lost, a holder may crash, and not every store notifies. Guarded by the monitor of
 * its lock.
 */
final class WakeUp {

	/** The longest time between two polls of a store that notifies. */
	private static final long LONGEST_SLEEP = TimeUnit.SECONDS.toNanos(1);

	/** The shortest time between two polls of a store that does not notify. */
	private static final long SHORTEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(20);

	private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(100);

	private final EngineRuntime runtime;

	private final Runnable wake;

	private @Nullable Alarm alarm;

	WakeUp(EngineRuntime runtime, Runnable wake) {
		this.runtime = runtime;
		this.wake = wake;
	}

	/**
	 * Wakes up when the holder's lease ends, at the latest.
	 * @param remaining the remaining time of that lease; zero if it is unknown
	 * @param head the waiter that polls
	 * @param notified whether the store notifies of a release
	 */
	void after(Duration remaining, Acquisition head, boolean notified) {
		long pause = remaining.isZero() ? pause(head) : Math.min(remaining.plusMillis(1).toNanos(), LONGEST_SLEEP);
		in(notified ? pause : Math.min(pause, pause(head)));
	}

	/**
	 * Wakes up after a short pause, so that the waiters of other instances come first.
	 */
	void soon() {
		in(jittered(SHORTEST_PAUSE));
	}

	/**
	 * Waiters poll after at most half of the time that they have waited, so less often
	 * the longer that is, with jitter. A last poll takes place shortly before the wait
	 * ends.
	 */
	private long pause(Acquisition head) {
		long pause = Math.min(Math.max(head.waited() / 2, SHORTEST_PAUSE), LONGEST_PAUSE);
		return Math.min(jittered(pause), Math.max(head.left() / 2, SHORTEST_PAUSE / 2));
	}

	/** Returns a random time between half of the pause and all of it. */
	private long jittered(long pause) {
		return pause - this.runtime.random().nextLong(pause / 2);
	}

	private void in(long nanos) {
		cancel();
		this.alarm = this.runtime.schedule(this.wake, nanos);
	}

	void cancel() {
		if (this.alarm != null) {
			this.alarm.cancel();
			this.alarm = null;
		}
	}

}
