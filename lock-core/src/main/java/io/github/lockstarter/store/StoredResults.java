package io.github.lockstarter.store;

import java.util.concurrent.CompletionStage;

/**
 * The results that a {@link LockStore} keeps for later duplicates, for an operator. An
 * operation may read the whole store, and can be slow.
 */
public interface StoredResults {

	/**
	 * Counts the results of the locks with a name.
	 * @param lockName the name of the locks
	 */
	CompletionStage<Long> count(String lockName);

	/**
	 * Removes the results of the locks with a name. Results that are stored during the
	 * call may remain.
	 * @param lockName the name of the locks
	 * @return a stage that completes with the number of removed results
	 */
	CompletionStage<Long> remove(String lockName);

}
