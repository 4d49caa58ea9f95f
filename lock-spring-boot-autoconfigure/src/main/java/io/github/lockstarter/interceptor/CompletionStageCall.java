package io.github.lockstarter.interceptor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.completion.HeldLeases;

/**
 * A call whose work is a {@link java.util.concurrent.CompletionStage}, and begins when
 * its locks have been granted.
 *
 * @see CompletionStageCalls
 */
public interface CompletionStageCall {

	/**
	 * Acquires the locks without blocking a thread. Cancelling the future ends the
	 * attempt, and releases the granted locks.
	 * @param executor completes the future, except for an immediate rejection
	 */
	CompletableFuture<HeldLeases> acquireAsync(Executor executor);

	/**
	 * Begins the work on the thread of the caller.
	 * @return its stage, which ends the leases
	 */
	@Nullable Object proceed(HeldLeases leases) throws Throwable;

	/**
	 * Begins the work after the caller has left, on another thread.
	 * @return its stage, which ends the leases
	 */
	@Nullable Object proceedLater(HeldLeases leases) throws Throwable;

	/** Returns the task executor for work whose caller has left. */
	CallerTasks tasks();

}
