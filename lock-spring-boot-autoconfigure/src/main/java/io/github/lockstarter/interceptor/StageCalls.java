package io.github.lockstarter.interceptor;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.completion.CompletionStageAdapter;
import io.github.lockstarter.completion.HeldLeases;

/**
 * Calls a method that returns a {@link CompletionStage}. If its locks are granted at
 * once, the method is called on the thread of the caller. Otherwise no thread waits, and
 * the method is called on the task executor of the application.
 */
final class StageCalls {

	/**
	 * The longest time for which the caller waits for the store. The registry notifies
	 * the caller much earlier if the lock is held, but one of the application may not.
	 */
	private static final Duration FIRST_ANSWER = Duration.ofSeconds(2);

	private StageCalls() {
	}

	/**
	 * Calls the method, now or later.
	 * @param mayBlock whether the thread may wait for the store, as it does for a method
	 * that does not wait for its locks
	 * @return the stage of the method, or a future that completes like it
	 */
	static @Nullable Object call(LockedCall call, boolean mayBlock) throws Throwable {
		CompletableFuture<Object> result = new CompletableFuture<>();
		CallingThread thread = new CallingThread(result.defaultExecutor());
		CompletableFuture<HeldLeases> acquired = call.acquireAsync(call.locks(), false, thread);
		if (!thread.await(acquired, mayBlock ? FIRST_ANSWER : Duration.ZERO)) {
			return new WaitingCall(call, acquired, result).begin();
		}
		HeldLeases leases;
		try {
			leases = acquired.join();
		}
		catch (CompletionException ex) {
			result.completeExceptionally(CompletionStageAdapter.cause(ex));
			return result;
		}
		return call.proceed(leases);
	}

	/** A call whose caller has left before the locks were granted. */
	private static final class WaitingCall {

		private final LockedCall call;

		private final CompletableFuture<HeldLeases> acquired;

		private final CompletableFuture<Object> result;

		/** Whether the leases have been used, or given back. */
		private final AtomicBoolean decided = new AtomicBoolean();

		WaitingCall(LockedCall call, CompletableFuture<HeldLeases> acquired, CompletableFuture<Object> result) {
			this.call = call;
			this.acquired = acquired;
			this.result = result;
		}

		CompletableFuture<Object> begin() {
			this.result.whenComplete((value, failure) -> {
				if (failure != null) {
					giveUp();
				}
			});
			try {
				Runnable submission = this.call.tasks().submission(this::end);
				this.acquired.whenComplete((leases, failure) -> submit(submission));
			}
			catch (Throwable ex) {
				this.result.completeExceptionally(ex);
			}
			return this.result;
		}

		private void giveUp() {
			if (!this.acquired.cancel(false) && this.decided.compareAndSet(false, true)) {
				this.acquired.thenAccept(HeldLeases::abandon);
			}
		}

		private void submit(Runnable submission) {
			try {
				submission.run();
			}
			catch (Throwable ex) {
				// Not called on this thread: it does not belong to the application.
				this.acquired.whenComplete(
						(leases, failure) -> this.result.completeExceptionally((failure != null) ? failure : ex));
			}
		}

		private void end() {
			this.acquired.whenComplete((leases, failure) -> {
				if (failure != null) {
					this.result.completeExceptionally(failure);
				}
				else if (this.decided.compareAndSet(false, true)) {
					proceed(leases);
				}
			});
		}

		private void proceed(HeldLeases leases) {
			try {
				CompletionStage<?> stage = (CompletionStage<?>) this.call.proceedLater(leases);
				if (stage == null) {
					this.result.complete(null);
					return;
				}
				stage.whenComplete((value, failure) -> CompletionStageAdapter.complete(this.result, value, failure));
			}
			catch (Throwable ex) {
				this.result.completeExceptionally(ex);
			}
		}

	}

}
