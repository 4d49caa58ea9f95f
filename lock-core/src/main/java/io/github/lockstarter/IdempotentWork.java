package io.github.lockstarter;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionOperations;

/**
 * Work that runs once per key, as described to an {@link IdempotencyRegistry}: the first
 * call runs it, and a repetition gets the kept result. The description is immutable, and
 * may be used for any number of calls.
 * <p>
 * A call that cannot give the result fails, and the work does not run:
 * <ul>
 * <li>with a {@link PayloadMismatchException} if the key was used for other
 * {@linkplain #comparing content};</li>
 * <li>with a {@link ResultUnavailableException} if the work was done, and its result was
 * too large to be kept, or cannot be read by this version of the application;</li>
 * <li>with a {@link LockConflictException} if the work is running, at once or after the
 * {@linkplain #withOptions wait time};</li>
 * <li>with a {@link LockStoreException} if the store fails, whatever
 * {@code lock.names.<name>.on-store-failure} says of annotated methods;</li>
 * <li>with a {@link LeaseLostException} if the lock was lost before the work began.</li>
 * </ul>
 *
 * @param <T> the type of the result
 */
public interface IdempotentWork<T extends @Nullable Object> {

	/**
	 * Compares content with that of the call whose result is kept: a repetition with
	 * other content fails with a {@link PayloadMismatchException}. By default nothing is
	 * compared. The store keeps a digest, with {@code lock.replay.fingerprint-key} as an
	 * HMAC.
	 * @param content what identifies the work besides its key, such as the message. It is
	 * read at once, with all fields of its objects. It replaces content that was given
	 * before
	 * @return the work with the content
	 * @throws LockConfigurationException if a part of it can be read only once, or cannot
	 * be written as JSON
	 */
	IdempotentWork<T> comparing(@Nullable Object... content);

	/**
	 * Keeps the result for a time, by default for 24 hours. A repetition after it runs.
	 * @param time the time; 1 ms to 365 days
	 * @return the work with the time
	 * @throws IllegalArgumentException if the time is out of range
	 */
	IdempotentWork<T> keptFor(Duration time);

	/**
	 * Acquires the lock with other options than the {@linkplain LockRegistry#options
	 * configured ones}. With a wait time, a call waits for the result of work that is
	 * running, and runs itself if that fails.
	 * @param options the options of the lock
	 * @return the work with the options
	 * @throws IllegalArgumentException if the options have a minimum hold time, which has
	 * no effect on repetitions
	 */
	IdempotentWork<T> withOptions(LockOptions options);

	/**
	 * Runs the work in a transaction, which begins after the lock was acquired, and ends
	 * before it is released. Any exception of the work rolls back. If the lock is in the
	 * database of the transaction, by {@code lock.store=jdbc} or
	 * {@code lock.names.<name>.store=jdbc} on its {@code DataSource}, the result is
	 * written in the transaction: the work is done exactly once, also if the instance is
	 * killed. With another store, the result is kept after the commit.
	 * <p>
	 * The lock is checked before the commit of a transaction manager that is a bean. If
	 * it was lost, the transaction is rolled back, and the call fails with a
	 * {@link LeaseLostException}. If the call takes place in a transaction that
	 * {@code transactions} joins, that transaction may still be rolled back, so the
	 * result is not kept.
	 * @param transactions runs the work in a transaction, such as a
	 * {@code TransactionTemplate}
	 * @return the work with the transaction, for {@link #call} only
	 * @see ReactiveIdempotentWork#in
	 */
	IdempotentWork<T> in(TransactionOperations transactions);

	/**
	 * Runs the work on this thread, or returns the kept result.
	 * <p>
	 * A call in a transaction of its caller, such as that of a {@code @Transactional}
	 * listener, keeps nothing, because that transaction may still be rolled back: a
	 * repetition runs. Call outside of the transaction, and begin it with {@link #in}.
	 * @param <X> the type of the exceptions of the work, which the compiler infers
	 * @param task does the work. Its value may be {@code null}, which is a result, too
	 * @return the value of the work, or an equal one that was kept
	 * @throws X if the work fails
	 * @throws LockException if there is no result, as described
	 * {@linkplain IdempotentWork above}
	 * @throws IllegalStateException on the thread of an event loop, which must not wait
	 * for the store
	 */
	<X extends Throwable> T call(Task<? extends T, X> task) throws X;

	/**
	 * Runs the work, or completes with the kept result, without a thread that waits for
	 * the lock or for the work. The lock is held until the stage of the work completes.
	 * <p>
	 * This thread waits for the first answer of the store, for at most 2 seconds; on an
	 * event loop it does not wait at all. If the answer grants the lock, the work begins
	 * on this thread. If the lock is held, or there is no answer yet, the method returns,
	 * and work that runs after all begins on the task executor of the application.
	 * <p>
	 * Call outside of a transaction: if the work begins on this thread, in a transaction
	 * of the caller, nothing is kept, as for {@link #call}.
	 * @param task begins the work
	 * @return a future that completes like the stage of the work, with the kept result,
	 * or with one of the exceptions that are described {@linkplain IdempotentWork above}.
	 * Cancelling it ends the wait for the lock. Work that has begun goes on, and its
	 * result is kept
	 * @throws IllegalStateException if the work is to run in a transaction
	 */
	CompletionStage<T> callAsync(Supplier<? extends CompletionStage<? extends T>> task);

	/**
	 * Describes the same work as reactive work, whose result is that of a {@code Mono}.
	 * Needs Reactor.
	 * @return the reactive work
	 * @throws IllegalStateException if the work is to run in a transaction of
	 * {@code TransactionOperations}
	 */
	ReactiveIdempotentWork<T> reactive();

	/**
	 * Work that may fail with exceptions of one type.
	 *
	 * @param <T> the type of the result
	 * @param <X> the type of the exceptions
	 */
	@FunctionalInterface
	interface Task<T extends @Nullable Object, X extends Throwable> {

		/**
		 * Does the work.
		 * @return its result
		 * @throws X if the work fails
		 */
		T run() throws X;

	}

}
