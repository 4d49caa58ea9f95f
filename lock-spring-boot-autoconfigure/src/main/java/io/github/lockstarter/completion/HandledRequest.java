package io.github.lockstarter.completion;

/**
 * A request whose handler is an annotated method, the result of which the web framework
 * processes.
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
	 * Releases the leases when the deferred result that the framework waits for next is
	 * completed.
	 * @param call the call that returned it
	 */
	void followDeferred(GuardedCall call, HeldLeases leases);

}
