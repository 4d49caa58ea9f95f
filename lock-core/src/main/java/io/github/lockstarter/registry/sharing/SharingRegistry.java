package io.github.lockstarter.registry.sharing;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.ResultQuery;
import io.github.lockstarter.store.StoredResult;

/**
 * Grants locks whose holders share their results: a caller receives either the lock or a
 * result.
 */
public interface SharingRegistry extends LockRegistry {

	/**
	 * Prepares to wait for results of locks with a name before the first caller arrives.
	 * @param lockName the name of the locks
	 * @throws LockConfigurationException if their results cannot be kept
	 */
	void prepareSharing(String lockName);

	/**
	 * Acquires the lock, or finds a result that is stored already, or is stored while the
	 * caller waits. Blocks like {@link LockRegistry#acquire(LockKey, LockOptions)}.
	 * @param key the lock
	 * @param options the options of the lock
	 * @param resultKey identifies the results that are accepted, and the one that the
	 * holder stores
	 * @param since the lowest fencing token whose stored result is accepted;
	 * {@link ResultQuery#NO_TOKEN} if only later results are accepted
	 * @return the lease or the result
	 * @throws LockConflictException if neither is available after the wait time
	 * @throws LockStoreException as for any lock
	 */
	LeaseOrResult acquire(LockKey key, LockOptions options, ResultKey resultKey, long since);

	/**
	 * Acquires the lock, or finds a result, like {@link #acquire}, without blocking a
	 * thread.
	 * @param key the lock
	 * @param options the options of the lock
	 * @param resultKey identifies the results that are accepted, and the one that the
	 * holder stores
	 * @param since the lowest fencing token whose stored result is accepted;
	 * {@link ResultQuery#NO_TOKEN} if only later results are accepted
	 * @param executor completes the stage, as in
	 * {@link LockRegistry#acquireAsync(LockKey, LockOptions, Executor)}; {@code null} for
	 * the few threads that all attempts share. An immediate rejection completes the stage
	 * on the calling thread, before this method returns
	 * @return a stage that completes with the lease or the result, or fails like
	 * {@link #acquire}
	 */
	CompletionStage<LeaseOrResult> acquireAsync(LockKey key, LockOptions options, ResultKey resultKey, long since,
			@Nullable Executor executor);

	/**
	 * What was acquired.
	 *
	 * @param lease the lease; {@code null} if there is a result
	 * @param result the result; {@code null} if there is a lease
	 */
	record LeaseOrResult(@Nullable SharedLease lease, @Nullable StoredResult result) {
	}

	/**
	 * The executor of a caller that is notified when its answer may take long. It can be
	 * given to each method that has an executor, those of {@link LockRegistry} included.
	 */
	interface ContentionListener extends Executor {

		/**
		 * Notifies the caller that the lock is held, so that it waits. Called by the
		 * engine, so it must return at once.
		 */
		void contended();

	}

}
