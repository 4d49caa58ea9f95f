package io.github.lockstarter.registry.observe;

import java.util.concurrent.CompletionException;

import org.jspecify.annotations.Nullable;

import org.springframework.lang.Contract;

/**
 * Reads what the stage of a store fails with.
 */
public final class StoreFailure {

	private StoreFailure() {
	}

	/** Returns the failure itself, without what a {@code CompletionStage} wraps it in. */
	@Contract("!null -> !null")
	public static @Nullable Throwable cause(@Nullable Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

}
