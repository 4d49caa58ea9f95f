package io.github.lockstarter.registry.request;

import java.util.concurrent.Executor;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

/**
 * How a caller takes its answer: on its own thread, which waits for it, or in an
 * executor.
 *
 * @param executor runs the notifications of the answer and of the end of the lease; it
 * takes every task
 * @param action what to do with the answer; {@code null} if a thread waits for it
 */
public record Caller(Executor executor, @Nullable BiConsumer<AcquireRequest, Answer> action) {

	/**
	 * Returns a caller whose thread waits.
	 * @param executor runs the notification of the end of the lease
	 */
	public static Caller blocking(Executor executor) {
		return new Caller(executor, null);
	}

}
