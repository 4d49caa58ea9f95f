package io.github.lockstarter.store;

import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockStoreException;

/**
 * A handle on a lock that can be part of a reactive transaction of the application. All
 * handles of a store that {@linkplain Capability#JOINS_REACTIVE_TRANSACTIONS joins
 * reactive transactions} are of this type.
 */
public interface ReactiveTransactionalStoredLock extends StoredLock {

	/**
	 * Prevents a grant to another owner until a reactive transaction has ended, if the
	 * lock is still held, and keeps a result if the transaction is committed.
	 * @param fencingToken the fencing token of the grant
	 * @param result the result; {@code null} if there is none
	 * @param transaction the transaction, which is about to be committed
	 * @return a stage that completes with {@code false} if the lock is no longer held;
	 * with {@code true} also if the store cannot join the transaction. It fails with a
	 * {@link LockStoreException} if the database does
	 */
	CompletionStage<Boolean> holdUntilCommit(long fencingToken, @Nullable StoredResult result,
			ReactiveTransaction transaction);

}
