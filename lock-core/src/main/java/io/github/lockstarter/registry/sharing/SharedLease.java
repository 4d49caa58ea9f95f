package io.github.lockstarter.registry.sharing;

import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.ReactiveTransaction;

/**
 * A lease whose holder can store a result for current waiters or later callers. The
 * holder can also check the lease and store the result within a transaction.
 */
public interface SharedLease extends Lease {

	/**
	 * Releases the lock and stores the result, in one atomic step. If the lease has been
	 * lost, the result is not stored.
	 * @param result the result
	 * @return as from {@link #releaseAsync()}
	 */
	CompletionStage<Void> releaseAsync(String result);

	/**
	 * Releases the lock like {@link #releaseAsync(String)}, and waits for the store.
	 * @param result the result
	 */
	void close(String result);

	/**
	 * Releases a lease whose work has not begun. The lock is free at once, without regard
	 * to the minimum hold time.
	 * @return as from {@link #releaseAsync()}
	 */
	CompletionStage<Void> releaseUnused();

	/** Returns whether the store can join transactions of the application. */
	boolean joinsTransactions();

	/**
	 * Prevents a grant to another holder until a transaction of this thread has ended, if
	 * the lease is still held and the store can join the transaction. The lease is not
	 * renewed until then. Blocks.
	 * @param transaction the transaction, as its transaction manager knows it
	 * @return {@code false} if the lease is no longer held
	 * @throws LockStoreException if the database fails
	 */
	boolean holdUntilCommit(Object transaction);

	/** Returns whether the store can join reactive transactions of the application. */
	boolean joinsReactiveTransactions();

	/**
	 * Prevents a grant to another holder until a reactive transaction has ended, if the
	 * lease is still held and the store can join the transaction, and stores a result if
	 * the transaction is committed. The lease is not renewed until then.
	 * @param transaction the transaction, which is about to be committed
	 * @param result the result; {@code null} if there is none
	 * @return completes with {@code false} if the lease is no longer held, and with a
	 * {@link LockStoreException} if the database fails
	 */
	CompletionStage<Boolean> holdUntilCommit(ReactiveTransaction transaction, @Nullable String result);

	/** Marks that the transaction has ended. */
	void transactionEnded();

	/**
	 * Stores the result if a transaction of this thread is committed and the store can
	 * join it. The lease stays held. Blocks.
	 * @param result the result
	 * @param transaction the transaction, as its transaction manager knows it
	 * @throws LockStoreException if the database fails
	 */
	void keepInTransaction(String result, Object transaction);

}
