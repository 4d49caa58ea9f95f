package io.github.lockstarter.registry.request;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

/**
 * The way in which the answer to an {@link AcquireRequest} reaches its caller.
 */
public sealed interface Delivery {

	/**
	 * Returns the executor for the notification of the end of the lease. It rejects no
	 * task.
	 */
	Executor executor();

	/**
	 * A thread of the caller waits for the answer.
	 *
	 * @param executor runs the notification of the end of the lease
	 * @param contended completed when the caller finds the lock held; {@code null} if
	 * nobody needs to know
	 */
	record Blocking(Executor executor, @Nullable CompletableFuture<Void> contended) implements Delivery {
	}

	/**
	 * No thread waits for the answer.
	 *
	 * @param executor also runs the action
	 * @param action processes the answer
	 */
	record Async(Executor executor, BiConsumer<AcquireRequest, Answer> action) implements Delivery {
	}

}
