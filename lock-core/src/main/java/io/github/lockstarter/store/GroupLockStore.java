package io.github.lockstarter.store;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * A store that grants several locks in one atomic step, all or none. Each store with the
 * capability {@link Capability#ACQUIRES_ALL} is of this type.
 */
public interface GroupLockStore extends LockStore {

	/**
	 * The largest number of locks in one command, so that no command occupies a server
	 * for long.
	 */
	int MAX_ACQUIRED_AT_ONCE = 128;

	/**
	 * Acquires all locks if all are free, and none if one is held. If the call fails, the
	 * store releases the locks that it has granted; the caller does not. Never blocks the
	 * caller.
	 * @param claims the locks to acquire: different locks, at least two and at most
	 * {@value #MAX_ACQUIRED_AT_ONCE}
	 * @return a stage that completes with the grants, or with the first lock that is held
	 */
	CompletionStage<AcquireAllResult> acquireAll(List<Claim> claims);

	/**
	 * One of several locks to acquire.
	 *
	 * @param lock a handle that this store has returned
	 * @param owner a token that is unique for this acquisition
	 * @param ttl the time after which the lock expires
	 */
	record Claim(StoredLock lock, String owner, Duration ttl) {
	}

}
