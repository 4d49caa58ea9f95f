package io.github.lockstarter.interceptor;

import java.util.concurrent.CompletableFuture;

import io.github.lockstarter.completion.HeldLeases;

/**
 * The leases that a call will have. The caller may give up at any time by cancelling it:
 * that ends the attempt, and leases that are granted nevertheless are released.
 */
public final class PendingLeases extends CompletableFuture<HeldLeases> {

	/**
	 * Completes with the leases, or releases them if the caller has given up.
	 */
	public void grant(HeldLeases leases) {
		if (!complete(leases)) {
			leases.abandon();
		}
	}

	/**
	 * Cancels a pending attempt if the caller gives up.
	 * @param attempt the future of the registry itself, not a dependent one, whose
	 * cancellation it would not notice
	 */
	public void follow(CompletableFuture<?> attempt) {
		whenComplete((leases, failure) -> {
			if (failure != null) {
				attempt.cancel(false);
			}
		});
	}

}
