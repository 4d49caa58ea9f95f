package io.github.lockstarter.store;

import org.springframework.util.Assert;

/**
 * An optional capability of a {@link LockStore}, beyond granting, renewing and releasing
 * locks. A store declares its capabilities. A feature that needs a missing capability
 * fails startup, or works in another way.
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
	 * again to the owner that holds it, implements
	 * {@link AcquireCommand#undoneOnFailure()}, and returns handles of the type
	 * {@link TokenStoredLock}. Without this capability,
	 * {@link io.github.lockstarter.TokenLocks} are not available.
	 */
	HOLDS_FOR_TOKENS,

	/**
	 * A transaction of the application on the database of the locks can include the check
	 * that a lock is still held, and the storing of a result: the store returns handles
	 * of the type {@link TransactionalStoredLock}. Without this capability, a lease can
	 * be lost between the check and the commit, and a result can be lost between the
	 * commit and the release.
	 */
	JOINS_TRANSACTIONS,

	/**
	 * A reactive transaction of the application can include the same: the store returns
	 * handles of the type {@link ReactiveTransactionalStoredLock}.
	 */
	JOINS_REACTIVE_TRANSACTIONS,

	/**
	 * Several locks are granted in one atomic step, all or none: the store is a
	 * {@link GroupLockStore}. Without this capability, they are acquired one after the
	 * other.
	 */
	ACQUIRES_ALL,

	/**
	 * The locks belong to this instance only, so that no other instance waits for them.
	 */
	LOCAL;

	/**
	 * Returns a store, or a handle of a store, as the type that has the operations of
	 * this capability.
	 * @param type the type
	 * @param declaring the store that declares this capability, or its handle
	 * @throws IllegalStateException if it is of another type
	 */
	public <T> T as(Class<T> type, Object declaring) {
		Assert.state(type.isInstance(declaring),
				() -> "A store declares the capability %s, but %s does not implement %s".formatted(this,
						declaring.getClass().getName(), type.getSimpleName()));
		return type.cast(declaring);
	}

}
