package io.github.lockstarter.completion;

/**
 * A request that a web framework handles by a call of an annotated method, and by work on
 * what that returns.
 */
public interface HandledRequest {

	/** Releases the leases at the end of the request, unless work is under way. */
	void releaseAtEnd(HeldLeases leases);

	/**
	 * Releases the leases after the task that the framework runs next.
	 * @param call the call that returned the task
	 */
	void followTask(GuardedCall call, HeldLeases leases);

	/**
	 * Releases the leases when what the framework waits for next is completed.
	 * @param call the call that returned it
	 */
	void followDeferred(GuardedCall call, HeldLeases leases);

}
