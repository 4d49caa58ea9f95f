package io.github.lockstarter.store.jdbc;

/**
 * Whether an earlier attempt may have executed the same statements.
 */
enum PriorAttempt {

	/** There was none, or it has changed nothing. */
	NOT_EXECUTED,

	/** It may have executed them before its connection was lost. */
	MAYBE_EXECUTED

}
