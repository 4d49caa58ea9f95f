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
 * Calls of a driver that has time-outs of its own, or none. Each is answered within a
 * time-out of ours, with a {@link LockStoreException} if the store fails or is slow. What
 * follows an answer runs on a thread of the driver, or after a time-out on a thread of
 * these calls, and must not block. The store closes its calls when it is closed.
 */
public final class StoreCalls implements AutoCloseable {

	private static final long FIRST_PAUSE_MILLIS = 500;

	private static final long LONGEST_PAUSE_MILLIS = 8000;

	/** What cannot be undone for now; more of it ends with its time to live. */
	private static final int MOST_UNDONE = 1000;

	private final AtomicInteger beingUndone = new AtomicInteger();

	private volatile boolean closed;

	private final String store;

	private final Duration timeout;

	/** Not the timer that all futures of the JVM share: the application may block it. */
	private final ScheduledThreadPoolExecutor timer;

	/**
	 * Creates calls of a store, and starts the thread of their time-outs.
	 * @param store what the store is called in messages, and its thread
	 * @param timeout how long to wait for an answer
	 */
	public StoreCalls(String store, Duration timeout) {
		this.store = store;
		this.timeout = timeout;
		CustomizableThreadFactory threads = new CustomizableThreadFactory("lock-" + store + "-timer-");
		threads.setDaemon(true);
		this.timer = new ScheduledThreadPoolExecutor(1, threads, new ThreadPoolExecutor.DiscardPolicy());
		this.timer.setRemoveOnCancelPolicy(true);
		// Later there might be no memory for a thread, and no call would time out.
		this.timer.prestartCoreThread();
	}

	/**
	 * Calls the driver.
	 * @param <T> what the answer is
	 * @param key the lock that it is for
	 * @param operation what to ask of the driver
	 * @return the answer, in time, or a {@link LockStoreException}
	 */
	public <T> CompletionStage<T> call(LockKey key, Supplier<CompletionStage<T>> operation) {
		long until = until();
		CompletableFuture<T> answer = new CompletableFuture<>();
		begin(operation).whenComplete((result, failure) -> answer(answer, result, failure));
		return inTime(key, answer, until);
	}

	/**
	 * Calls the driver for a lock. A grant that arrives too late for the caller is
	 * undone, and so is one that may exist although the call failed, unless it failed
	 * with {@link NotDone}: its owner would never release it.
	 * @param key the lock
	 * @param ttl for how long it would be locked: so long it is worth undoing
	 * @param acquire what to ask of the driver
	 * @param undo releases the lock if it was granted
	 * @return the answer, in time, or a {@link LockStoreException}
	 */
	public CompletionStage<AcquireResult> grant(LockKey key, Duration ttl,
			Supplier<CompletionStage<AcquireResult>> acquire, Supplier<CompletionStage<Boolean>> undo) {
		long until = until();
		CompletableFuture<AcquireResult> answer = new CompletableFuture<>();
		begin(acquire).whenComplete((result, failure) -> {
			boolean inTime = answer(answer, result, failure);
			boolean unknown = failure != null && !(cause(failure) instanceof NotDone);
			if (unknown || (!inTime && result instanceof Granted)) {
				beginUndo(undo, ttl, unknown);
			}
		});
		return inTime(key, answer, until);
	}

	/**
	 * Calls the driver to free a lock whose owner will not acquire it again. If that
	 * fails it is repeated, also after the call has failed, until the lock has expired.
	 * @param key the lock
	 * @param ttl for how long it may still be locked
	 * @param release what to ask of the driver
	 * @param again what to ask of it when that has failed
	 * @return whether the lock was there, in time, or a {@link LockStoreException}
	 */
	public CompletionStage<Boolean> release(LockKey key, Duration ttl, Supplier<CompletionStage<Boolean>> release,
			Supplier<CompletionStage<Boolean>> again) {
		long until = until();
		CompletableFuture<Boolean> answer = new CompletableFuture<>();
		begin(release).whenComplete((released, failure) -> {
			answer(answer, released, failure);
			if (failure != null) {
				beginUndo(again, ttl, false);
			}
		});
		return inTime(key, answer, until);
	}

	/**
	 * Gives up what could not be undone so far: it ends with its time to live. Calls that
	 * are under way still time out; later ones have the time-outs of the driver only.
	 */
	@Override
	public void close() {
		this.closed = true;
		this.timer.shutdown();
	}

	private static <T> boolean answer(CompletableFuture<T> answer, T result, @Nullable Throwable failure) {
		return (failure != null) ? answer.completeExceptionally(failure) : answer.complete(result);
	}

	/** A driver may block: its time counts, too. */
	private long until() {
		return System.nanoTime() + this.timeout.toNanos();
	}

	private <T> CompletionStage<T> inTime(LockKey key, CompletableFuture<T> answer, long until) {
		if (!answer.isDone()) {
			Future<?> alarm = this.timer.schedule(() -> answer.completeExceptionally(new TimeoutException()),
					until - System.nanoTime(), TimeUnit.NANOSECONDS);
			answer.whenComplete((result, failure) -> alarm.cancel(false));
		}
		CompletableFuture<T> known = new CompletableFuture<>();
		answer
			.whenComplete((result, failure) -> answer(known, result, (failure != null) ? broken(key, failure) : null));
		return known;
	}

	private LockStoreException broken(LockKey key, Throwable failure) {
		Throwable cause = cause(failure);
		if (cause instanceof TimeoutException) {
			return new LockStoreException(key,
					"%s did not answer within %d ms".formatted(this.store, this.timeout.toMillis()), null);
		}
		if (cause instanceof NotDone) {
			return new LockStoreException(key, String.valueOf(cause.getMessage()), cause.getCause());
		}
		return (cause instanceof LockStoreException known) ? known
				: new LockStoreException(key, this.store + " failed", cause);
	}

	/**
	 * Frees a lock later, as often as it may be granted to an owner that has released it,
	 * or was refused: by a request that was lost and repeated, and that the store may
	 * execute all the same.
	 * @param ttl for how long it would be locked
	 * @param release what to ask of the driver
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
	 * The store may be unavailable for a while, and do what it was sent when it is back;
	 * on another connection, even after it was undone. So an undo that finds nothing is
	 * repeated.
	 * @param repetitions how often it is repeated although it finds nothing
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
	 * A driver's failure that has surely left nothing behind in the store.
	 */
	public static final class NotDone extends RuntimeException {

		/**
		 * Creates the exception.
		 * @param message what was not done, and why
		 * @param cause the failure, if any
		 */
		public NotDone(String message, @Nullable Throwable cause) {
			super(message, cause);
		}

	}

}
