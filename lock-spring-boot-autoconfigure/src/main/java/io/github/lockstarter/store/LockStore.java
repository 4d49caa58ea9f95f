package io.github.lockstarter.store;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockStoreException;

/**
 * Where locks live. Each operation is atomic in the store, never blocks the caller, ends
 * within the store's own time-out, and fails with a {@link LockStoreException} when the
 * store is unreachable or slow. A lock that somebody else holds is not a failure.
 * <p>
 * An owner is a token that is new for every acquisition, except where a
 * {@link TokenStore} is asked again by the same; only it can renew and release.
 */
public interface LockStore {

	/**
	 * Takes the lock if it is free. An attempt that fails leaves nothing behind: whatever
	 * reached the store after all is taken back.
	 * @param key the lock
	 * @param owner a token that no other acquisition has
	 * @param ttl after which time the lock is free again by itself
	 * @return whether it was granted
	 */
	CompletionStage<AcquireResult> acquire(LockKey key, String owner, Duration ttl);

	/**
	 * Lets the lock live for the given time from now, or longer if it would have, if the
	 * owner still holds it.
	 * @param key the lock
	 * @param owner the token it was acquired with
	 * @param ttl the new time to live
	 * @return {@code false} if the owner does not hold it any more
	 */
	CompletionStage<Boolean> renew(LockKey key, String owner, Duration ttl);

	/**
	 * Renews many locks, each for itself, in as few round trips as the store can; here,
	 * one by one.
	 * @param renewals what to renew
	 * @return an answer for each, in the same order, as from {@link #renew}
	 */
	default List<CompletionStage<Boolean>> renewAll(List<Renewal> renewals) {
		return renewals.stream().map((each) -> renew(each.key(), each.owner(), each.ttl())).toList();
	}

	/**
	 * Frees the lock, if the owner still holds it.
	 * @param key the lock
	 * @param owner the token it was acquired with
	 * @return {@code false} if the owner did not hold it any more
	 */
	CompletionStage<Boolean> release(LockKey key, String owner);

	/**
	 * Returns whether the locks are those of this JVM only, so that nobody waits for them
	 * elsewhere. By default they are not.
	 */
	default boolean isLocal() {
		return false;
	}

	/**
	 * One of many renewals.
	 *
	 * @param key the lock
	 * @param owner the token it was acquired with
	 * @param ttl the new time to live
	 */
	record Renewal(LockKey key, String owner, Duration ttl) {
	}

}
