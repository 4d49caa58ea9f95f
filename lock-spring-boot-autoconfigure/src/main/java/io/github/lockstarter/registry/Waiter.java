package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockOptions;

/**
 * One caller that wants a lock, with one deadline for all it takes to get it.
 */
final class Waiter {

	private final CompletableFuture<Optional<Lease>> answer = new CompletableFuture<>();

	private final LockOptions options;

	private final Executor answers;

	private final long deadline;

	private volatile Duration retryAfter = Duration.ZERO;

	private @Nullable Future<?> alarm;

	/**
	 * Creates a caller.
	 * @param options how it wants the lock
	 * @param answers where to complete the answer
	 */
	Waiter(LockOptions options, Executor answers) {
		this.options = options;
		this.answers = answers;
		this.deadline = System.nanoTime() + options.waitTime().toNanos();
	}

	LockOptions options() {
		return this.options;
	}

	CompletableFuture<Optional<Lease>> answer() {
		return this.answer;
	}

	/** Returns how long the holder's lease lasts, once the answer is empty. */
	Duration retryAfter() {
		return this.retryAfter;
	}

	boolean waits() {
		return !this.options.waitTime().isZero();
	}

	/** Returns how much of the wait is left; not positive when it is over. */
	long left() {
		return this.deadline - System.nanoTime();
	}

	/**
	 * Sets an alarm to the end of the wait, unless there is none or it is set already.
	 */
	void setAlarm(ScheduledExecutorService timer, Runnable action) {
		if (waits() && this.alarm == null) {
			this.alarm = timer.schedule(action, Math.max(left(), 0), TimeUnit.NANOSECONDS);
		}
	}

	void grant(StoreLease lease) {
		answer(() -> {
			if (!this.answer.complete(Optional.of(lease))) {
				// Cancelled meanwhile: nobody worked under this lease.
				lease.release();
			}
		});
	}

	/**
	 * Refuses the caller.
	 * @param retryAfter how long the holder's lease lasts; zero if nobody knows
	 */
	void refuse(Duration retryAfter) {
		this.retryAfter = retryAfter.isZero() ? this.options.ttl() : retryAfter;
		answer(() -> this.answer.complete(Optional.empty()));
	}

	void fail(LockException failure) {
		answer(() -> this.answer.completeExceptionally(failure));
	}

	/** Leaves nothing behind in the timer. */
	void cancelAlarm() {
		if (this.alarm != null) {
			this.alarm.cancel(false);
		}
	}

	private void answer(Runnable completion) {
		cancelAlarm();
		this.answers.execute(completion);
	}

}
