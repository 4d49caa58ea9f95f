package io.github.lockstarter.store.redis;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.RunningTime;

/**
 * Ends the calls over a connection that take too long. The time for which the process
 * stood still does not count, and a reply that has arrived by then does.
 * <p>
 * All calls have the same timeout, so they time out in the order in which they began. One
 * timer is enough for all of them: it runs when the first call that is in progress then
 * will time out. A timer for each call takes more time than the rest of the call.
 */
final class CallTimeouts {

	/** Calls with a longer timeout are judged by an ordinary clock in the end. */
	private static final Duration LONGEST_TIMEOUT = Duration.ofMinutes(1);

	private final Duration timeout;

	private final DriverTimer timer;

	private final CompletableFuture<?> firstAttempt;

	private final Runnable onTimeout;

	private final RunningTime time;

	/**
	 * The calls in the order of their deadlines. Calls that have ended are removed late.
	 */
	private final Queue<Call<?>> calls = new ConcurrentLinkedQueue<>();

	private final AtomicBoolean removing = new AtomicBoolean();

	/** Whether the timer runs. */
	private final AtomicBoolean scheduled = new AtomicBoolean();

	/**
	 * Creates timeouts.
	 * @param firstAttempt completes after the first attempt to connect
	 * @param onTimeout runs when calls have timed out
	 */
	CallTimeouts(Duration timeout, DriverTimer timer, CompletableFuture<?> firstAttempt, Runnable onTimeout) {
		this.timeout = timeout;
		this.timer = timer;
		this.firstAttempt = firstAttempt;
		this.onTimeout = onTimeout;
		this.time = new RunningTime((timeout.compareTo(LONGEST_TIMEOUT) < 0) ? timeout : LONGEST_TIMEOUT,
				this::tickLater);
	}

	/**
	 * Begins a call. It fails at the timeout, to the driver's tick of 100 ms, unless its
	 * reply has arrived by then. The time of the first attempt to connect does not count:
	 * the connect timeout of the driver limits it.
	 */
	<T> Call<T> begin(LockKey key) {
		Call<T> call = new Call<>(key);
		if (this.firstAttempt.isDone()) {
			add(call);
		}
		else {
			this.firstAttempt.whenComplete((done, failure) -> add(call));
		}
		return call;
	}

	private void add(Call<?> call) {
		long nanos = this.timeout.toNanos();
		call.setDeadline(this.time.begin() + nanos);
		removeEnded();
		this.calls.add(call);
		judgeLater(nanos);
	}

	/** Keeps the queue about as long as there are calls in progress. */
	private void removeEnded() {
		if (this.removing.compareAndSet(false, true)) {
			for (Call<?> first = this.calls.peek(); first != null && first.isDone(); first = this.calls.peek()) {
				this.calls.poll();
			}
			this.removing.set(false);
		}
	}

	private void judgeLater(long nanos) {
		if (!this.scheduled.get() && this.scheduled.compareAndSet(false, true)) {
			schedule(nanos);
		}
	}

	private void schedule(long nanos) {
		try {
			this.timer.timeoutAfterReading(nanos, this::judge);
		}
		catch (Throwable ex) {
			// The driver has been shut down, has too many timeouts, or has no thread.
			this.scheduled.set(false);
			this.calls.forEach((call) -> call.fail(ex));
		}
	}

	private void judge() {
		boolean timedOut = false;
		Call<?> next = null;
		for (Call<?> call : this.calls) {
			if (!call.isDone() && next == null) {
				if (this.time.nanoTime() - call.deadline() < 0) {
					next = call;
				}
				else {
					timedOut |= call.expire(this.timeout);
				}
			}
		}
		removeEnded();
		if (next != null) {
			schedule(next.deadline() - this.time.nanoTime());
		}
		else {
			this.scheduled.set(false);
			if (!this.calls.isEmpty()) {
				// A call began in the meantime.
				judgeLater(this.timeout.toNanos());
			}
		}
		if (timedOut) {
			this.onTimeout.run();
		}
	}

	private boolean tickLater(Runnable tick, long nanos) {
		try {
			this.timer.timeout(nanos, tick);
			return true;
		}
		catch (Throwable ex) {
			return false;
		}
	}

}
