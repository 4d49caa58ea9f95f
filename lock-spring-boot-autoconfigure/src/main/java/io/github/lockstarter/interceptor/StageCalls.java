package io.github.lockstarter.interceptor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.lockstarter.completion.CompletionStageAdapter;
import io.github.lockstarter.completion.HeldLeases;

/**
 * Calls a method that returns a {@link CompletionStage} on the common pool, once its
 * locks have been granted. No thread is blocked until then.
 */
final class StageCalls {

	private StageCalls() {
	}

	/** Returns a future that completes like the stage that the method will return. */
	static CompletableFuture<Object> callLater(LockedCall call) {
		CompletableFuture<Object> result = new CompletableFuture<>();
		CompletableFuture<HeldLeases> acquired = call.acquireAsync(call.locks(), false, result.defaultExecutor());
		acquired.whenComplete((leases, failure) -> {
			if (failure != null) {
				result.completeExceptionally(failure);
			}
			else if (result.isDone()) {
				leases.abandon();
			}
			else {
				proceed(call, leases, result);
			}
		});
		result.whenComplete((value, failure) -> {
			if (failure != null) {
				acquired.cancel(false);
			}
		});
		return result;
	}

	private static void proceed(LockedCall call, HeldLeases leases, CompletableFuture<Object> result) {
		try {
			CompletionStage<?> stage = (CompletionStage<?>) call.proceedLater(leases);
			if (stage == null) {
				result.complete(null);
				return;
			}
			stage.whenComplete((value, failure) -> CompletionStageAdapter.complete(result, value, failure));
		}
		catch (Throwable ex) {
			result.completeExceptionally(ex);
		}
	}

}
