package io.github.lockstarter.annotation;

/**
 * What happens to a request whose lock is held by another.
 */
public enum OnConflict {

	/**
	 * It is refused, after the wait time if there is one. By default there is none.
	 */
	REJECT,

	/**
	 * It waits for its turn, and then runs. It is refused when the wait time is over. The
	 * default for the wait time is twice the {@code ttl}, which is long enough to outlast
	 * a server that died.
	 */
	WAIT,

	/**
	 * It waits for the other's result, and is answered with that; it runs itself only if
	 * there is none: the other failed, or its result could not be shared. All who have
	 * the same key get the same result, whoever they are: where it depends on the caller,
	 * the key has to name the caller, too. It is refused when the wait time is over. The
	 * default for the wait time is twice the {@code ttl}.
	 */
	SHARE,

	/**
	 * It is skipped: the call returns at once, without running the method, and nothing
	 * fails. It returns {@code null}, an empty {@code Optional}, a completed stage, or an
	 * empty reactive type. For scheduled methods and listeners, where no client waits for
	 * an answer; a handler of requests, or a method that returns a primitive, is refused
	 * at start-up.
	 */
	SKIP

}
