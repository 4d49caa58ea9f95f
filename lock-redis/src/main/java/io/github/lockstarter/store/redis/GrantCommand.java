package io.github.lockstarter.store.redis;

import java.util.function.Predicate;

/**
 * A command that may grant locks.
 *
 * @param <T> the type of the reply
 * @param granted whether locks were granted, according to the reply
 */
record GrantCommand<T>(StoreCommand<T> command, Predicate<T> granted) {

	/** Returns a command whose reply is the fencing token if the lock was granted. */
	static GrantCommand<Long> ofToken(StoreCommand<Long> command) {
		return new GrantCommand<>(command, (number) -> number > 0);
	}

}
