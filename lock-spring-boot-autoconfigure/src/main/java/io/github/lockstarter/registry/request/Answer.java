package io.github.lockstarter.registry.request;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.TokenLocks.TokenLock;
import io.github.lockstarter.registry.observe.HoldObservation;
import io.github.lockstarter.store.StoredResult;

/**
 * How an {@link AcquireRequest} ends.
 */
public sealed interface Answer {

	/**
	 * The caller holds the lock.
	 *
	 * @param lease the lease
	 * @param hold observes it, from the time when the caller has it; {@code null} if it
	 * is not observed
	 */
	record Leased(SharedLease lease, @Nullable HoldObservation hold) implements Answer {
	}

	/**
	 * The token of the caller holds the lock.
	 *
	 * @param lock what it holds
	 */
	record HeldByToken(TokenLock lock) implements Answer {
	}

	/**
	 * The caller is given a result instead of the lock.
	 *
	 * @param result the result
	 */
	record GivenResult(StoredResult result) implements Answer {
	}

	/**
	 * Another caller holds the lock.
	 *
	 * @param retryAfter when it may be free
	 * @param queueFull whether the caller asked to wait, and too many wait already
	 */
	record Refused(Duration retryAfter, boolean queueFull) implements Answer {
	}

	/**
	 * The store failed, or the registry is being closed.
	 *
	 * @param failure the failure that the caller gets
	 */
	record Failed(LockStoreException failure) implements Answer {
	}

	/** The caller has given up. */
	record Abandoned() implements Answer {
	}

}
