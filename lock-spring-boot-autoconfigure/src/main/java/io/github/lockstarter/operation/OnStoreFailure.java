package io.github.lockstarter.operation;

/**
 * What happens to a call whose lock cannot be acquired because the store fails.
 */
public enum OnStoreFailure {

	/** It is refused with 503, and does not run. */
	REJECT,

	/** It runs without the lock, beside others. This is counted and logged. */
	PROCEED

}
