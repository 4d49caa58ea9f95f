package io.github.lockstarter.completion;

/**
 * Adapts one kind of result that stands for work which continues after the method has
 * returned: releases the leases when that work has ended.
 */
public interface CompletionAdapter {

	/** Returns whether results of the type are of this kind. */
	boolean supports(Class<?> type);

	/**
	 * Binds the leases to the work, so that they are released when the work ends: with a
	 * value, an error, a timeout or a cancellation.
	 * @return the result to return in its place
	 */
	Object guard(GuardedCall call, Object result, HeldLeases leases);

	/** Returns whether results of this kind are reactive types. */
	default boolean isReactive() {
		return false;
	}

}
