package io.github.lockstarter.store;

import java.util.concurrent.CompletionStage;

/**
 * The results that a {@link LockStore} keeps for later duplicates, for its operator. An
 * operation may read all that the store holds, and takes its time.
 */
public interface StoredResults {

	/**
	 * Counts the results of the locks of a name.
	 * @param lockName the name of the locks
	 */
	CompletionStage<Long> count(String lockName);

	/**
	 * Removes the results of the locks of a name. Results that are stored meanwhile may
	 * stay.
	 * @param lockName the name of the locks
	 * @return how many were removed
	 */
	CompletionStage<Long> remove(String lockName);

}
