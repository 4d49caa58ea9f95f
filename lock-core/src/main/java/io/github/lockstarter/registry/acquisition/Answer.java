package io.github.lockstarter.registry.acquisition;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockConflictException.ConflictReason;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.TokenLocks.TokenLock;
import io.github.lockstarter.registry.observe.HoldObservation;
import io.github.lockstarter.registry.sharing.SharedLease;
import io.github.lockstarter.store.StoredResult;

/**
 * The outcome of an {@link Acquisition}.
 */
public sealed interface Answer {

	/**
	 * The caller holds the lock.
	 *
	 * @param lease the lease
	 * @param hold observes the lease from its delivery to the caller; {@code null} if it
	 * is not observed
	 */
	record Leased(SharedLease lease, @Nullable HoldObservation hold) implements Answer {
	}

	/**
	 * The token of the caller holds the lock.
	 *
	 * @param lock the lock and its token
	 */
	record HeldByToken(TokenLock lock) implements Answer {
	}

	/**
	 * The caller receives a result instead of the lock.
	 *
	 * @param result the result
	 */
	record GivenResult(StoredResult result) implements Answer {
	}

	/**
	 * Another caller holds the lock.
	 *
	 * @param retryAfter the time after which the lock may be free
	 * @param reason why the caller is rejected
	 */
	record Rejected(Duration retryAfter, ConflictReason reason) implements Answer {
	}

	/**
	 * The store failed, or the registry is being closed.
	 *
	 * @param failure the failure for the caller
	 */
	record Failed(LockStoreException failure) implements Answer {
	}

	/** The caller has given up. */
	record Abandoned() implements Answer {
	}

}
