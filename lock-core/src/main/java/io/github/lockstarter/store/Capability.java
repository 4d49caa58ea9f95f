package io.github.lockstarter.store;

/**
 * An optional capability of a {@link LockStore}, beyond granting, renewing and releasing
 * locks. A store declares its capabilities. A feature that needs a missing capability is
 * refused at start-up, or works in another way.
 */
public enum Capability {

	/**
	 * Waiters are notified of a release: the store runs
	 * {@link AcquireCommand#onRelease()}. Without this capability, waiters poll.
	 */
	NOTIFIES,

	/**
	 * A turn ends and the next one begins in one atomic step: the store implements
	 * {@link AcquireCommand#predecessor()}. It also {@linkplain #NOTIFIES notifies}.
	 * Without this capability, the lock is released and then acquired again.
	 */
	HANDS_OVER,

	/**
	 * Results are kept: the store answers {@link AcquireCommand#query()} and keeps the
	 * result that is passed to {@link StoredLock#release}. Without this capability,
	 * results cannot be shared or replayed.
	 */
	KEEPS_RESULTS,

	/**
	 * Locks are held by tokens that several applications share: the store grants a lock
	 * again to the owner that holds it, and implements
	 * {@link AcquireCommand#undoneOnFailure()} and {@link StoredLock#remaining()}.
	 * Without this capability, {@link io.github.lockstarter.TokenLocks} are not
	 * available.
	 */
	HOLDS_FOR_TOKENS,

	/**
	 * A transaction of the application on the database of the locks can include the check
	 * that a lock is still held, and the storing of a result: the store implements
	 * {@link StoredLock#holdUntilCommit(long, Object)} and
	 * {@link StoredLock#keepInTransaction}. Without this capability, a lease can be lost
	 * between the check and the commit, and a result can be lost between the commit and
	 * the release.
	 */
	JOINS_TRANSACTIONS,

	/**
	 * A reactive transaction of the application can include the same: the store
	 * implements
	 * {@link StoredLock#holdUntilCommit(long, StoredResult, ReactiveTransaction)}.
	 */
	JOINS_REACTIVE_TRANSACTIONS,

	/**
	 * Several locks are granted in one atomic step, all or none: the store implements
	 * {@link LockStore#acquireAll}. Without this capability, they are acquired one after
	 * the other.
	 */
	ACQUIRES_ALL,

	/** The locks belong to this JVM only, so that no other instance waits for them. */
	LOCAL

}
