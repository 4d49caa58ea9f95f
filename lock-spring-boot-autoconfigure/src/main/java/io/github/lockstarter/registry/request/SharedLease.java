package io.github.lockstarter.registry.request;

import java.util.concurrent.CompletionStage;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockStoreException;

/**
 * A lease whose holder may leave a result to callers that wait for the lock, or come
 * later, and may check it and leave its result in a transaction.
 */
public interface SharedLease extends Lease {

	/**
	 * Releases the lock and leaves the result, in one step. If the lease has been lost,
	 * nobody gets the result.
	 * @param result the result
	 * @return as from {@link #releaseAsync()}
	 */
	CompletionStage<Void> releaseAsync(String result);

	/**
	 * Releases the lock for a caller that does not want it any more. No work was done
	 * under it, so it has no shortest hold.
	 * @return as from {@link #releaseAsync()}
	 */
	CompletionStage<Void> giveBack();

	/**
	 * Does the same, and waits for it.
	 * @param result the result
	 */
	void close(String result);

	/** Returns whether the store can take part in transactions of the application. */
	boolean joinsTransactions();

	/**
	 * Keeps all other holders from the lock until a transaction of this thread has ended,
	 * if the lease is still held and the store can join the transaction. Until then the
	 * lease is not renewed. Blocks.
	 * @param transaction the transaction, as its transaction manager knows it
	 * @return {@code false} if the lease is not held any more
	 * @throws LockStoreException if the database fails
	 */
	boolean holdUntilCommit(Object transaction);

	/** Marks that the transaction has ended. */
	void transactionEnded();

	/**
	 * Leaves the result if a transaction of this thread is committed and the store can
	 * join it. The lease is still held. Blocks.
	 * @param result the result
	 * @param transaction the transaction, as its transaction manager knows it
	 * @throws LockStoreException if the database fails
	 */
	void keepInTransaction(String result, Object transaction);

}
