package io.github.lockstarter.aop;

/**
 * A kind of result that stands for work which goes on after the method has returned, and
 * how to tell when that work has ended.
 */
interface Work {

	/** Returns whether results of the type are of this kind. */
	boolean supports(Class<?> type);

	/**
	 * Ties the holding to the work, so that it ends when the work does: with a value, an
	 * error, a time-out or a cancellation.
	 * @return the result to return in its place
	 */
	Object guard(LockedCall call, Object result, Holding holding);

}
