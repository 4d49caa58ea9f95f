package io.github.lockstarter.store;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

import io.github.lockstarter.LockKey;

/**
 * Where locks live. A store of an application's own implements {@link #lock} and a
 * {@link StoredLock}; the rest has defaults.
 * <p>
 * An owner is a token that is new for every acquisition, except where a store
 * {@linkplain Capability#HOLDS_FOR_TOKENS holds locks for tokens}. Only the owner can
 * renew and release.
 */
public interface LockStore {

	/** So that no request occupies a server for long. */
	int MOST_ACQUIRED_AT_ONCE = 128;

	/**
	 * Returns a handle on a lock. Several handles on one lock may be in use at a time.
	 * @param key the lock
	 */
	StoredLock lock(LockKey key);

	/**
	 * Returns what this store can do beyond granting, renewing and releasing; by default
	 * nothing. It is always the same.
	 */
	default Set<Capability> capabilities() {
		return Set.of();
	}

	/**
	 * Returns the size of the largest result that is kept, in bytes of UTF-8. It is
	 * always the same. By default there is no limit.
	 */
	default long maxResultSize() {
		return Long.MAX_VALUE;
	}

	/**
	 * Returns the results that are kept, for an operator. By default they cannot be
	 * listed.
	 */
	default Optional<StoredResults> results() {
		return Optional.empty();
	}

	/**
	 * Takes all of the locks if all are free, and none if one is held. If this fails, the
	 * caller does not release them: the store does. Never blocks the caller. Only for a
	 * store that {@linkplain Capability#ACQUIRES_ALL grants several locks at once}.
	 * @param acquisitions what to take: different locks, at least two and at most
	 * {@value #MOST_ACQUIRED_AT_ONCE}
	 * @return whether they were granted
	 */
	default CompletionStage<AcquireAllResult> acquireAll(List<Acquisition> acquisitions) {
		throw new UnsupportedOperationException("This store grants one lock at a time");
	}

	/**
	 * Renews many locks, each for itself, in as few round trips as the store can; by
	 * default one by one.
	 * @param renewals what to renew
	 * @return an answer for each, in the same order, as from {@link StoredLock#renew}
	 */
	default List<CompletionStage<Boolean>> renewAll(List<Renewal> renewals) {
		return renewals.stream().map((each) -> each.lock().renew(each.owner(), each.ttl())).toList();
	}

	/**
	 * Runs the action each time the store may have lost requests or locks, because it was
	 * connected again: what is held is then renewed at once. By default it never runs.
	 * @param action does not block
	 */
	default void onReconnect(Runnable action) {
	}

	/**
	 * Prepares for waiters, so that the first one need not: for example by a
	 * subscription. By default there is nothing to prepare.
	 */
	default void expectWaiters() {
	}

	/**
	 * One of several locks to take.
	 *
	 * @param lock a handle that this store has returned
	 * @param owner a token that no other acquisition has
	 * @param ttl after which time the lock is free again by itself
	 */
	record Acquisition(StoredLock lock, String owner, Duration ttl) {
	}

	/**
	 * One of many renewals.
	 *
	 * @param lock a handle that this store has returned
	 * @param owner the token it was acquired with
	 * @param ttl the new time to live
	 */
	record Renewal(StoredLock lock, String owner, Duration ttl) {
	}

}
