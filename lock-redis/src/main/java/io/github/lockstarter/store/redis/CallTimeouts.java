package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.PauseAwareClock;

/**
 * Ends the calls over a connection that take too long. The time for which the process
 * stood still does not count, and a reply that has arrived by then does.
 */
final class CallTimeouts {

	/** Calls with a longer timeout are judged by an ordinary clock in the end. */
	private static final Duration LONGEST_TIMEOUT = Duration.ofMinutes(1);

	private final Duration timeout;

	private final DriverTimer timer;

	private final CompletableFuture<?> firstAttempt;

	private final Runnable onTimeout;

	private final PauseAwareClock time = new PauseAwareClock(LONGEST_TIMEOUT, this::tickLater);

	/**
	 * Creates timeouts.
	 * @param firstAttempt completes after the first attempt to connect
	 * @param onTimeout runs when a call has timed out
	 */
	CallTimeouts(Duration timeout, DriverTimer timer, CompletableFuture<?> firstAttempt, Runnable onTimeout) {
		this.timeout = timeout;
		this.timer = timer;
		this.firstAttempt = firstAttempt;
		this.onTimeout = onTimeout;
	}

	/**
	 * Begins a call. It fails at the timeout, to the driver's tick of 100 ms, unless its
	 * reply has arrived by then. The time of the first attempt to connect does not count:
	 * the connect timeout of the driver limits it.
	 */
	<T> Call<T> begin(LockKey key) {
		Call<T> call = new Call<>(key, this);
		if (this.firstAttempt.isDone()) {
			setAlarm(call);
		}
		else {
			this.firstAttempt.whenComplete((done, failure) -> setAlarm(call));
		}
		return call;
	}

	private void setAlarm(Call<?> call) {
		long nanos = this.timeout.toNanos();
		call.setUntil(this.time.begin() + nanos);
		setAlarm(call, nanos);
	}

	private void setAlarm(Call<?> call, long nanos) {
		try {
			call.setAlarm(this.timer.timeout(nanos, call));
		}
		catch (Throwable ex) {
			// The driver has been shut down, has too many timeouts, or has no thread.
			call.fail(ex);
		}
	}

	/**
	 * Judges a call whose time has passed, when the replies that have arrived are read.
	 */
	void passed(Call<?> call) {
		this.timer.afterRead(() -> judge(call));
	}

	private void judge(Call<?> call) {
		long left = call.until() - this.time.nanoTime();
		if (left > 0 && !call.isDone()) {
			setAlarm(call, left);
		}
		else if (call.expire(this.timeout)) {
			this.onTimeout.run();
		}
	}

	private boolean tickLater(Runnable tick, long nanos) {
		try {
			this.timer.timeout(nanos, (timeout) -> tick.run());
			return true;
		}
		catch (Throwable ex) {
			return false;
		}
	}

}
