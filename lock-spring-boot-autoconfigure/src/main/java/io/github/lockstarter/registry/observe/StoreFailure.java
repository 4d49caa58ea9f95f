package io.github.lockstarter.registry.observe;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.lang.Contract;

/**
 * What a store fails with, in its answer or already when it is asked.
 */
public final class StoreFailure {

	private StoreFailure() {
	}

	/** Asks the store. If that throws, or gives no answer, the answer is a failure. */
	public static <T> CompletionStage<T> caught(Supplier<CompletionStage<T>> question) {
		try {
			return Objects.requireNonNull(question.get(), "the store has no answer");
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/** Returns the failure itself, without what a {@code CompletionStage} wraps it in. */
	@Contract("!null -> !null")
	public static @Nullable Throwable cause(@Nullable Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

}
