package io.github.lockstarter.store.redis;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Wakes the waiters at intervals while no messages about released locks are received, so
 * that they poll. It pauses while there are no waiters.
 */
final class ReleasePolling {

	static final long INTERVAL_MILLIS = 100;

	/**
	 * The number of wake-ups between two probes that check whether messages are received.
	 */
	private static final int WAKE_UPS_PER_PROBE = 100;

	private static final AsyncLog logger = new AsyncLog(ReleasePolling.class);

	private final DriverTimer timer;

	private final String channel;

	private final ReleaseWatchers watchers;

	private final BooleanSupplier open;

	private final Runnable probe;

	private final AtomicBoolean started = new AtomicBoolean();

	/** Whether the next wake-up is scheduled, so that there is one loop. */
	private final AtomicBoolean scheduled = new AtomicBoolean();

	private final AtomicInteger wakeUps = new AtomicInteger();

	/**
	 * Creates a loop that is not started.
	 * @param open whether the subscription has not been closed
	 * @param probe checks whether messages are received
	 */
	ReleasePolling(DriverTimer timer, String channel, ReleaseWatchers watchers, BooleanSupplier open, Runnable probe) {
		this.timer = timer;
		this.channel = channel;
		this.watchers = watchers;
		this.open = open;
		this.probe = probe;
	}

	void start(String why, @Nullable Throwable failure) {
		if (this.started.compareAndSet(false, true)) {
			logger
				.warn("No messages about released locks are received through channel %s (%s): waiters poll every %d ms"
					.formatted(this.channel, why, INTERVAL_MILLIS), failure);
		}
		resume();
	}

	void stop() {
		this.started.set(false);
	}

	/** Resumes after a pause, because there is a waiter. */
	void resume() {
		if (this.started.get() && this.open.getAsBoolean() && !this.watchers.isEmpty()
				&& this.scheduled.compareAndSet(false, true) && !this.timer.after(INTERVAL_MILLIS, this::wakeUp)) {
			this.scheduled.set(false);
		}
	}

	private void wakeUp() {
		this.scheduled.set(false);
		this.watchers.wakeAll();
		if (this.wakeUps.incrementAndGet() % WAKE_UPS_PER_PROBE == 0) {
			this.probe.run();
		}
		resume();
	}

}
