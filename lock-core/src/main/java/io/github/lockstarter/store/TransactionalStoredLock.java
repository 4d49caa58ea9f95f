package io.github.lockstarter.store;

import io.github.lockstarter.LockStoreException;

/**
 * A handle on a lock that can be part of a transaction of the application. All handles of
 * a store that {@linkplain Capability#JOINS_TRANSACTIONS joins transactions} are of this
 * type.
 */
public interface TransactionalStoredLock extends StoredLock {

	/**
	 * Prevents a grant to another owner until a transaction of this thread has ended, if
	 * the lock is still held. Blocks.
	 * @param fencingToken the fencing token of the grant
	 * @param transaction the transaction, as its transaction manager knows it
	 * @return {@code false} if the lock is no longer held; {@code true} also if the store
	 * cannot join the transaction
	 * @throws LockStoreException if the database fails
	 */
	boolean holdUntilCommit(long fencingToken, Object transaction);

	/**
	 * Keeps a result if a transaction of this thread is committed. Blocks. Does nothing
	 * if the store cannot join the transaction. Called only for a store that
	 * {@linkplain Capability#KEEPS_RESULTS keeps results}.
	 * @param result the result
	 * @param transaction the transaction, as its transaction manager knows it
	 * @throws LockStoreException if the database fails
	 */
	void keepInTransaction(StoredResult result, Object transaction);

}
