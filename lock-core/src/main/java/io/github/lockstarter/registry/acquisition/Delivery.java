package io.github.lockstarter.registry.acquisition;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

/**
 * The way in which the answer to an {@link Acquisition} reaches its caller.
 */
public sealed interface Delivery {

	/**
	 * Returns the executor for the notification of the end of the lease. It rejects no
	 * task.
	 */
	Executor executor();

	/** Returns whether the caller wants to know that the lock is held. */
	boolean isNotified();

	/** Notifies the caller that the lock is held. */
	void contended();

	/**
	 * A thread of the caller waits for the answer.
	 *
	 * @param executor runs the notification of the end of the lease
	 * @param contention completed when the caller finds the lock held; {@code null} if
	 * nobody needs to know
	 */
	record Blocking(Executor executor, @Nullable CompletableFuture<Void> contention) implements Delivery {

		@Override
		public boolean isNotified() {
			return this.contention != null;
		}

		@Override
		public void contended() {
			if (this.contention != null) {
				this.contention.complete(null);
			}
		}

	}

	/**
	 * No thread waits for the answer.
	 *
	 * @param executor also runs the action
	 * @param contention is run when the lock turns out to be held; {@code null} if nobody
	 * needs to know
	 * @param action processes the answer
	 */
	record Async(Executor executor, @Nullable Runnable contention,
			BiConsumer<Acquisition, Answer> action) implements Delivery {

		@Override
		public boolean isNotified() {
			return this.contention != null;
		}

		@Override
		public void contended() {
			if (this.contention != null) {
				this.contention.run();
			}
		}

	}

}
