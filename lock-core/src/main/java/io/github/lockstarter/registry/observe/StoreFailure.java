package io.github.lockstarter.registry.observe;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.lang.Contract;

/**
 * Failures of a store, in its answer or already at the call.
 */
public final class StoreFailure {

	private StoreFailure() {
	}

	/**
	 * Calls the store. If the call throws or returns {@code null}, the returned stage
	 * fails.
	 */
	public static <T> CompletionStage<T> caught(Supplier<CompletionStage<T>> question) {
		try {
			return Objects.requireNonNull(question.get(), "the store returned no answer");
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/** Returns the failure itself, without the wrapper of a {@code CompletionStage}. */
	@Contract("!null -> !null")
	public static @Nullable Throwable cause(@Nullable Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

}
