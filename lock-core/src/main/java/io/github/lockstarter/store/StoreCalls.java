package io.github.lockstarter.store;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.AcquireResult.Granted;

/**
 * Adds a timeout to the calls of a driver, whose own timeouts may be longer or absent.
 * The time for which the process stands still does not count. A call that fails or takes
 * too long ends with a {@link LockStoreException}. Dependent actions run on a thread of
 * the driver, or after a timeout on the thread of these calls, and must not block. The
 * store closes its calls when it is closed.
 */
public final class StoreCalls implements AutoCloseable {

	private static final long FIRST_PAUSE_MILLIS = 500;

	private static final long LONGEST_PAUSE_MILLIS = 8000;

	/**
	 * The most grants that wait to be undone. Further ones expire with their time to
	 * live.
	 */
	private static final int MOST_UNDONE = 1000;

	/** For the first calls, which load the driver and connect. */
	private static final Duration FIRST_TIMEOUT = Duration.ofSeconds(5);

	/** The time in which an answer is read that has arrived when the timeout is over. */
	private static final long LAST_LOOK_NANOS = PauseAwareClock.TICK;

	private final AtomicInteger beingUndone = new AtomicInteger();

	/** Whether the driver has answered, or has failed. */
	private volatile boolean warm;

	private volatile boolean closed;

	private final String store;

	private final Duration timeout;

	/**
	 * Not the timer that all futures of the JVM share, which the application could block.
	 */
	private final ScheduledThreadPoolExecutor timer;

	private final PauseAwareClock time;

	/**
	 * Creates the calls of a store, and starts the thread for their timeouts.
	 * @param store the name of the store in messages and of the thread
	 * @param timeout the longest time to wait for an answer; at least 5 s until the
	 * driver has answered for the first time
	 */
	public StoreCalls(String store, Duration timeout) {
		this.store = store;
		this.timeout = timeout;
		CustomizableThreadFactory threads = new CustomizableThreadFactory("lock-" + store + "-timer-");
		threads.setDaemon(true);
		this.timer = new ScheduledThreadPoolExecutor(1, threads, new ThreadPoolExecutor.DiscardPolicy());
		this.timer.setRemoveOnCancelPolicy(true);
		// Started now: if a thread could not be created later, no call would time out.
		this.timer.prestartCoreThread();
		this.time = new PauseAwareClock(longer(timeout), this::tickLater);
	}

	/**
	 * Calls the driver.
	 * @param <T> the type of the answer
	 * @param key the lock
	 * @param operation calls the driver
	 * @return a stage that completes with the answer, or exceptionally with a
	 * {@link LockStoreException}
	 */
	public <T> CompletionStage<T> call(LockKey key, Supplier<CompletionStage<T>> operation) {
		Deadline deadline = beginDeadline();
		CompletableFuture<T> answer = new CompletableFuture<>();
		begin(operation).whenComplete((result, failure) -> answered(answer, result, failure));
		return inTime(key, answer, deadline);
	}

	/**
	 * Calls the driver to acquire a lock. A grant that arrives after the timeout is
	 * undone, because its owner would never release it. After a failure, a possible grant
	 * is undone as well, unless the failure is {@link NotDone}.
	 * @param key the lock
	 * @param ttl the time to live of the grant, and so the time for which undoing it is
	 * useful
	 * @param acquire calls the driver
	 * @param undo releases the lock if it was granted
	 * @return a stage that completes with the answer, or exceptionally with a
	 * {@link LockStoreException}
	 */
	public CompletionStage<AcquireResult> grant(LockKey key, Duration ttl,
			Supplier<CompletionStage<AcquireResult>> acquire, Supplier<CompletionStage<Boolean>> undo) {
		Deadline deadline = beginDeadline();
		CompletableFuture<AcquireResult> answer = new CompletableFuture<>();
		begin(acquire).whenComplete((result, failure) -> {
			boolean inTime = answered(answer, result, failure);
			boolean unknown = failure != null && !(cause(failure) instanceof NotDone);
			if (unknown || (!inTime && result instanceof Granted)) {
				beginUndo(undo, ttl, unknown);
			}
		});
		return inTime(key, answer, deadline);
	}

	/**
	 * Calls the driver to release a lock whose owner will not acquire it again. A failed
	 * release is repeated until the lock has expired, even after the failure was
	 * reported.
	 * @param key the lock
	 * @param ttl the longest time for which the lock may still be held
	 * @param release calls the driver
	 * @param again calls the driver to repeat a failed release
	 * @return a stage that completes with whether the lock was held, or exceptionally
	 * with a {@link LockStoreException}
	 */
	public CompletionStage<Boolean> release(LockKey key, Duration ttl, Supplier<CompletionStage<Boolean>> release,
			Supplier<CompletionStage<Boolean>> again) {
		Deadline deadline = beginDeadline();
		CompletableFuture<Boolean> answer = new CompletableFuture<>();
		begin(release).whenComplete((released, failure) -> {
			answered(answer, released, failure);
			if (failure != null) {
				beginUndo(again, ttl, false);
			}
		});
		return inTime(key, answer, deadline);
	}

	/**
	 * Stops undoing grants: those that remain expire with their time to live. Pending
	 * calls still time out. Later calls have only the timeouts of the driver.
	 */
	@Override
	public void close() {
		this.closed = true;
		this.timer.shutdown();
	}

	private <T> boolean answered(CompletableFuture<T> answer, T result, @Nullable Throwable failure) {
		if (!this.warm) {
			this.warm = true;
		}
		return answer(answer, result, failure);
	}

	private static <T> boolean answer(CompletableFuture<T> answer, T result, @Nullable Throwable failure) {
		return (failure != null) ? answer.completeExceptionally(failure) : answer.complete(result);
	}

	/**
	 * Returns the current time of the clock for timeouts, in nanoseconds. It stands still
	 * while the process does, as long as there are calls.
	 */
	public long nanoTime() {
		return this.time.nanoTime();
	}

	/**
	 * Returns the longest time to wait for an answer to a call that begins now.
	 */
	public Duration timeout() {
		return this.warm ? this.timeout : longer(this.timeout);
	}

	private static Duration longer(Duration timeout) {
		return (timeout.compareTo(FIRST_TIMEOUT) > 0) ? timeout : FIRST_TIMEOUT;
	}

	private boolean tickLater(Runnable tick, long nanos) {
		this.timer.schedule(tick, nanos, TimeUnit.NANOSECONDS);
		return !this.closed;
	}

	/** Read before the driver is called, which may block. */
	private Deadline beginDeadline() {
		Duration timeout = timeout();
		return new Deadline(timeout, this.time.begin() + timeout.toNanos());
	}

	private <T> CompletionStage<T> inTime(LockKey key, CompletableFuture<T> answer, Deadline deadline) {
		if (!answer.isDone()) {
			CallTimeout alarm = new CallTimeout(key, answer, deadline);
			alarm.set(deadline.nanos - nanoTime());
			answer.whenComplete((result, failure) -> alarm.cancel());
		}
		CompletableFuture<T> known = new CompletableFuture<>();
		answer
			.whenComplete((result, failure) -> answer(known, result, (failure != null) ? broken(key, failure) : null));
		return known;
	}

	private LockStoreException broken(LockKey key, Throwable failure) {
		Throwable cause = cause(failure);
		if (cause instanceof TimeoutException) {
			return late(key, this.timeout);
		}
		if (cause instanceof NotDone) {
			return new LockStoreException(key, String.valueOf(cause.getMessage()), cause.getCause());
		}
		return (cause instanceof LockStoreException known) ? known
				: new LockStoreException(key, this.store + " failed", cause);
	}

	private LockStoreException late(LockKey key, Duration timeout) {
		return new LockStoreException(key, "%s did not answer within %d ms".formatted(this.store, timeout.toMillis()),
				null);
	}

	/**
	 * Repeats a release later. A command that was lost and repeated may still reach the
	 * store, and grant the lock to an owner that has released it or was rejected.
	 * @param ttl the time to live of such a grant
	 * @param release calls the driver
	 */
	public void freeLater(Duration ttl, Supplier<CompletionStage<Boolean>> release) {
		if (this.beingUndone.get() < MOST_UNDONE) {
			this.beingUndone.incrementAndGet();
			undoLater(release, System.nanoTime() + ttl.toNanos(), Integer.MAX_VALUE, FIRST_PAUSE_MILLIS);
		}
	}

	private void beginUndo(Supplier<CompletionStage<Boolean>> release, Duration ttl, boolean mayCome) {
		if (this.beingUndone.get() < MOST_UNDONE) {
			this.beingUndone.incrementAndGet();
			undo(release, System.nanoTime() + ttl.toNanos(), mayCome ? 1 : 0, FIRST_PAUSE_MILLIS);
		}
	}

	/**
	 * An unavailable store may execute earlier commands when it recovers; on another
	 * connection, even after they were undone. So an undo that finds no lock is repeated.
	 * @param repetitions how often an undo that finds no lock is repeated
	 */
	private void undo(Supplier<CompletionStage<Boolean>> release, long until, int repetitions, long pause) {
		if (this.closed || until - System.nanoTime() < 0) {
			this.beingUndone.decrementAndGet();
			return;
		}
		begin(release).whenComplete((released, failure) -> {
			boolean absent = failure == null && !Boolean.TRUE.equals(released);
			if (failure == null && !(absent && repetitions > 0)) {
				this.beingUndone.decrementAndGet();
				return;
			}
			undoLater(release, until, absent ? repetitions - 1 : repetitions, pause);
		});
	}

	private void undoLater(Supplier<CompletionStage<Boolean>> release, long until, int repetitions, long pause) {
		this.timer.schedule(() -> undo(release, until, repetitions, Math.min(2 * pause, LONGEST_PAUSE_MILLIS)), pause,
				TimeUnit.MILLISECONDS);
	}

	private static <T> CompletionStage<T> begin(Supplier<CompletionStage<T>> operation) {
		try {
			return Objects.requireNonNull(operation.get(), "a driver must answer");
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private static Throwable cause(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	/**
	 * The end of the timeout of a call, by the clock for timeouts.
	 */
	private record Deadline(Duration timeout, long nanos) {
	}

	/**
	 * Fails a call at its timeout, unless its answer has arrived by then.
	 */
	private final class CallTimeout implements Runnable {

		private final LockKey key;

		private final CompletableFuture<?> answer;

		private final Deadline deadline;

		private volatile @Nullable Future<?> next;

		CallTimeout(LockKey key, CompletableFuture<?> answer, Deadline deadline) {
			this.key = key;
			this.answer = answer;
			this.deadline = deadline;
		}

		void set(long nanos) {
			this.next = StoreCalls.this.timer.schedule(this, nanos, TimeUnit.NANOSECONDS);
			if (this.answer.isDone()) {
				cancel();
			}
		}

		@Override
		public void run() {
			long left = this.deadline.nanos + LAST_LOOK_NANOS - nanoTime();
			if (StoreCalls.this.closed || left <= 0) {
				this.answer.completeExceptionally(late(this.key, this.deadline.timeout));
			}
			else {
				set(left);
			}
		}

		void cancel() {
			Future<?> next = this.next;
			if (next != null) {
				next.cancel(false);
			}
		}

	}

	/**
	 * A failure of a driver that has certainly changed nothing in the store.
	 */
	public static final class NotDone extends RuntimeException {

		/**
		 * Creates the exception.
		 * @param message the operation that was not done, and the reason
		 * @param cause the failure, if any
		 */
		public NotDone(String message, @Nullable Throwable cause) {
			super(message, cause);
		}

	}

}
