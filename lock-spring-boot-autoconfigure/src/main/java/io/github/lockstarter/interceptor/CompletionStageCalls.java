package io.github.lockstarter.interceptor;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.completion.CallerClassLoader;
import io.github.lockstarter.completion.CallingThread;
import io.github.lockstarter.completion.CompletionStageAdapter;
import io.github.lockstarter.completion.HeldLeases;

/**
 * Makes calls whose work is a {@link CompletionStage}. If the locks are granted at once,
 * the work begins on the thread of the caller. Otherwise no thread waits, and the work
 * begins on the task executor of the application.
 */
public final class CompletionStageCalls {

	/**
	 * The longest time for which the caller waits for the store. The registry notifies
	 * the caller much earlier if the lock is held, but one of the application may not.
	 */
	private static final Duration FIRST_WAIT = Duration.ofSeconds(2);

	private CompletionStageCalls() {
	}

	/**
	 * Makes the call, now or later.
	 * @param mayBlock whether the thread may wait for the store, as it does for a method
	 * that does not wait for its locks
	 * @return the stage of the work, or a future that completes like it
	 */
	public static @Nullable Object call(CompletionStageCall call, boolean mayBlock) throws Throwable {
		CallingThread thread = new CallingThread();
		CompletableFuture<HeldLeases> acquired = call.acquireAsync(thread);
		if (!thread.await(acquired, mayBlock ? FIRST_WAIT : Duration.ZERO)) {
			return new WaitingCall(call, acquired).begin();
		}
		HeldLeases leases;
		try {
			leases = acquired.join();
		}
		catch (CompletionException ex) {
			return CompletableFuture.failedFuture(ex.getCause());
		}
		return call.proceed(leases);
	}

	/** A call whose caller has left before the locks were granted. */
	private static final class WaitingCall {

		private final CompletionStageCall call;

		private final CompletableFuture<HeldLeases> acquired;

		private final CompletableFuture<Object> result = new CompletableFuture<>();

		/** Whether the leases have been used, or given back. */
		private final AtomicBoolean decided = new AtomicBoolean();

		WaitingCall(CompletionStageCall call, CompletableFuture<HeldLeases> acquired) {
			this.call = call;
			this.acquired = acquired;
		}

		CompletableFuture<Object> begin() {
			this.result.whenComplete((value, failure) -> {
				if (failure != null) {
					giveUp();
				}
			});
			try {
				Runnable submission = this.call.tasks().submission(this::proceed);
				Runnable end = CallerClassLoader.keep(() -> end(submission));
				this.acquired.whenComplete((leases, failure) -> end.run());
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

		/**
		 * Ends the wait. A failure needs no thread of the task executor, whose threads
		 * may all wait for it.
		 */
		private void end(Runnable submission) {
			try {
				this.acquired.join();
				submission.run();
			}
			catch (Throwable ex) {
				// A rejected method is not called elsewhere.
				this.result.completeExceptionally(CompletionStageAdapter.cause(ex));
			}
		}

		private void proceed() {
			if (this.decided.compareAndSet(false, true)) {
				proceed(this.acquired.join());
			}
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
