package io.github.lockstarter.completion;

/**
 * A kind of result that stands for work which goes on after the method has returned, and
 * how to tell when that work has ended.
 */
public interface CompletionAdapter {

	/** Returns whether results of the type are of this kind. */
	boolean supports(Class<?> type);

	/**
	 * Ties the leases to the work, so that they are released when the work ends: with a
	 * value, an error, a time-out or a cancellation.
	 * @return the result to return in its place
	 */
	Object guard(GuardedCall call, Object result, HeldLeases leases);

	/** Returns whether results of this kind are reactive types. */
	default boolean isReactive() {
		return false;
	}

}
