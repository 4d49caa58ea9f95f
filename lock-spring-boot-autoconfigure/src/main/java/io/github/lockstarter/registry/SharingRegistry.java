package io.github.lockstarter.registry;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.registry.request.SharedLease;
import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.ResultQuery;
import io.github.lockstarter.store.StoredResult;

/**
 * Hands out locks whose holders share their results: a caller gets either the lock or a
 * result.
 */
public interface SharingRegistry extends LockRegistry {

	/**
	 * Prepares to wait for results, so that the first caller need not.
	 * @throws LockConfigurationException if results cannot be kept
	 */
	void prepareSharing();

	/**
	 * Acquires the lock, or finds a result: one that is there already, or one that comes
	 * while the caller waits. Blocks like
	 * {@link LockRegistry#acquire(LockKey, LockOptions)}.
	 * @param key what to lock
	 * @param options how long to hold and to wait
	 * @param resultKey which results count, and which one the holder stores
	 * @param since the fencing token from which on results count that are there already;
	 * {@link ResultQuery#NOBODY} if only those count that come later
	 * @return the lease or the result
	 * @throws LockConflictException if there is neither after the wait time
	 * @throws LockStoreException as for any lock
	 */
	Acquisition acquire(LockKey key, LockOptions options, ResultKey resultKey, long since);

	/**
	 * Does the same without holding a thread while it waits.
	 * @param key what to lock
	 * @param options how long to hold and to wait
	 * @param resultKey which results count, and which one the holder stores
	 * @param since the fencing token from which on results count that are there already;
	 * {@link ResultQuery#NOBODY} if only those count that come later
	 * @param executor where the stage completes, as in
	 * {@link LockRegistry#acquireAsync(LockKey, LockOptions, Executor)}; {@code null} for
	 * the few threads that all attempts share. A refusal that is known at once completes
	 * the stage on the calling thread, before this method returns
	 * @return completes with the lease or the result, or fails like {@link #acquire}
	 */
	CompletionStage<Acquisition> acquireAsync(LockKey key, LockOptions options, ResultKey resultKey, long since,
			@Nullable Executor executor);

	/**
	 * What was acquired.
	 *
	 * @param lease the lease; {@code null} if there is a result
	 * @param result the result; {@code null} if there is a lease
	 */
	record Acquisition(@Nullable SharedLease lease, @Nullable StoredResult result) {
	}

}
