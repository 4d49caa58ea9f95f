package io.github.lockstarter.store.jdbc;

/**
 * What is known about the attempts to run statements before the current one, if there
 * were any.
 */
enum PriorAttempt {

	/** They have changed nothing. */
	NOT_EXECUTED,

	/** One of them may have been executed before its connection was lost. */
	MAYBE_EXECUTED

}
