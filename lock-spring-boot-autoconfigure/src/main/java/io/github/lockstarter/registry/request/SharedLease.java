package io.github.lockstarter.registry.request;

import java.util.concurrent.CompletionStage;

import io.github.lockstarter.Lease;

/**
 * A lease whose holder may leave a result to those who wait for the lock, or come later.
 */
public interface SharedLease extends Lease {

	/**
	 * Releases the lock and leaves the result, in one step. If the lease has been lost,
	 * nobody gets the result.
	 * @param result the result
	 * @return as from {@link #releaseAsync()}
	 */
	CompletionStage<Void> releaseAsync(String result);

	/**
	 * Does the same, and waits for it.
	 * @param result the result
	 */
	void close(String result);

}
