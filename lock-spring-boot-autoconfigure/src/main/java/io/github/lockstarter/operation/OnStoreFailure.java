package io.github.lockstarter.operation;

/**
 * What happens to a call whose lock cannot be acquired because the store fails.
 */
public enum OnStoreFailure {

	/** The call is rejected with status 503, and does not run. */
	REJECT,

	/**
	 * The call runs without the lock, concurrently with others. This is counted and
	 * logged.
	 */
	PROCEED

}
