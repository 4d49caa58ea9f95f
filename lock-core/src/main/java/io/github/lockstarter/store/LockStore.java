package io.github.lockstarter.store;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

import io.github.lockstarter.LockKey;

/**
 * Stores locks. A custom store implements {@link #lock} and {@link StoredLock}; all other
 * methods have defaults.
 * <p>
 * An owner is identified by a token. The token is new for every acquisition, except for
 * {@linkplain Capability#HOLDS_FOR_TOKENS tokens that applications share}. Only the owner
 * can renew or release a lock.
 */
public interface LockStore {

	/**
	 * Returns a handle on a lock. Several handles on one lock may be in use at a time.
	 * @param key the lock
	 */
	StoredLock lock(LockKey key);

	/**
	 * Returns the capabilities of this store. They never change. By default there are
	 * none.
	 */
	default Set<Capability> capabilities() {
		return Set.of();
	}

	/**
	 * Returns the size of the largest result that the store can keep, in bytes of UTF-8.
	 * It never changes. By default there is no limit.
	 */
	default long maxResultSize() {
		return Long.MAX_VALUE;
	}

	/**
	 * Returns the stored results, for an operator. By default they cannot be listed.
	 */
	default Optional<StoredResults> results() {
		return Optional.empty();
	}

	/**
	 * Renews several locks independently of each other, in as few round trips as
	 * possible. By default each is renewed with a command of its own.
	 * @param renewals the locks to renew
	 * @return a stage for each renewal, in the same order, as from
	 * {@link StoredLock#renew}
	 */
	default List<CompletionStage<Boolean>> renewAll(List<Renewal> renewals) {
		return renewals.stream().map((each) -> each.lock().renew(each.owner(), each.ttl())).toList();
	}

	/**
	 * Runs the action after each reconnection, when the store may have lost commands or
	 * locks. The action renews all held leases at once. By default it never runs.
	 * @param action the action; it does not block
	 */
	default void onReconnect(Runnable action) {
	}

	/**
	 * Prepares for waiters before the first one arrives, for example by a subscription.
	 * By default there is nothing to prepare.
	 */
	default void expectWaiters() {
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
