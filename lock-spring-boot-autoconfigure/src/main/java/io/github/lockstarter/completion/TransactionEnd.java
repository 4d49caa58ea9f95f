package io.github.lockstarter.completion;

/** How a transaction has ended. */
public enum TransactionEnd {

	COMMITTED,

	/** It was rolled back, or its commit failed. */
	ROLLED_BACK

}
