package io.github.lockstarter.result;

import tools.jackson.databind.json.JsonMapper;

import io.github.lockstarter.count.LockEventCounter;

/**
 * The objects of an application that the sharing of results needs. They may be beans, so
 * none of them is asked for before all of them can be created.
 */
public interface SharingContext {

	/** Returns the mapper of the application. */
	JsonMapper mapper();

	/** Returns what decides which results are shared. */
	ResultPredicate predicate();

	/** Returns the counts of shared and replayed results, and of those that are not. */
	LockEventCounter counts();

	/** Returns the largest size of a result for the store of a lock, in bytes. */
	long storeLimit(String lockName);

}
