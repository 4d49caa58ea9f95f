package io.github.lockstarter.annotation;

/**
 * What happens to a call whose lock is held by another one.
 */
public enum OnConflict {

	/**
	 * The call is rejected, after the wait time if one is configured. By default it does
	 * not wait.
	 */
	REJECT,

	/**
	 * The call waits for its turn, and then runs. It is rejected when the wait time is
	 * over. If no wait time is configured, it is twice the {@code ttl}, so that the lock
	 * of a crashed instance expires within it.
	 */
	WAIT,

	/**
	 * The call waits for the result of the running call, and returns that result. It runs
	 * itself only if there is no result: the other call failed, or its result could not
	 * be shared. All callers with the same key receive the same result. If the result
	 * depends on the caller, the key has to contain the caller. The call is rejected when
	 * the wait time is over. If no wait time is configured, it is twice the {@code ttl}.
	 */
	SHARE,

	/**
	 * The call is skipped: it returns at once, or after a wait time that is configured
	 * for this lock, without running the method and without an exception. It returns
	 * {@code null}, an empty {@code Optional}, a completed stage, or an empty reactive
	 * type. This is for scheduled methods and listeners, where no client expects a
	 * response. A request handler, or a method whose return type is primitive or does not
	 * permit {@code null}, is an error at startup.
	 */
	SKIP

}
