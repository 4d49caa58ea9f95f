package io.github.lockstarter.store;

/**
 * What a {@link LockStore} can do beyond granting, renewing and releasing locks. A store
 * declares its capabilities; without one, the features that need it are refused at
 * start-up, or done in another way.
 */
public enum Capability {

	/**
	 * Waiters are notified of a release: the store runs
	 * {@link AcquireCommand#onRelease()}. Without it the waiters poll.
	 */
	NOTIFIES,

	/**
	 * A turn ends, and the next one begins, in one step: the store follows
	 * {@link AcquireCommand#predecessor()}. It also {@linkplain #NOTIFIES notifies}.
	 * Without it the lock is released, and then acquired like any other.
	 */
	HANDS_OVER,

	/**
	 * Results are kept: the store answers a {@link AcquireCommand#query()} and keeps what
	 * {@link StoredLock#release} is given. Without it nothing is shared or replayed.
	 */
	KEEPS_RESULTS,

	/**
	 * Locks are held by tokens that several applications know: an owner that holds the
	 * lock is granted it again, {@link AcquireCommand#takenBack()} is followed, and
	 * {@link StoredLock#remaining()} answers. Without it there are no
	 * {@link io.github.lockstarter.TokenLocks}.
	 */
	HOLDS_FOR_TOKENS,

	/**
	 * Where a transaction of the application is on the database of the locks, the check
	 * that a lock is still held can be part of it, and so can the storing of a result:
	 * the store answers {@link StoredLock#holdUntilCommit} and
	 * {@link StoredLock#keepInTransaction}. Without it a lease can be lost between the
	 * check and the commit, and a result between the commit and the release.
	 */
	JOINS_TRANSACTIONS,

	/**
	 * Several locks are granted in one step, all or none: the store answers
	 * {@link LockStore#acquireAll}. Without it they are acquired one after the other.
	 */
	ACQUIRES_ALL,

	/** The locks are those of this JVM only, so that no other instance waits for them. */
	LOCAL

}
