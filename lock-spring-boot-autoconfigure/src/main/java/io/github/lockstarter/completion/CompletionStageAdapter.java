package io.github.lockstarter.completion;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.http.HttpEntity;

/**
 * Adapts a {@link CompletionStage}: its work ends when it completes. Cancelling the
 * future that is returned in its place, as Spring MVC does at a timeout, does not release
 * the leases: the work may continue.
 */
public final class CompletionStageAdapter implements CompletionAdapter {

	CompletionStageAdapter() {
	}

	@Override
	public boolean supports(Class<?> type) {
		return CompletionStage.class.isAssignableFrom(type);
	}

	@Override
	public Object guard(GuardedCall call, Object result, HeldLeases leases) {
		CompletionStage<?> stage = (CompletionStage<?>) result;
		leases.begin();
		if (!canReplace(call.returnType())) {
			stage.whenComplete((value, failure) -> leases.end());
			return stage;
		}
		return releasedFirst(call, stage, leases);
	}

	/**
	 * Returns a stage that completes like the other, once the leases have been released,
	 * so that a caller with its result finds the lock free.
	 */
	private static CompletableFuture<Object> releasedFirst(GuardedCall call, CompletionStage<?> stage,
			HeldLeases leases) {
		CompletableFuture<Object> released = new CompletableFuture<>();
		stage.<Object>thenApply((value) -> {
			leases.leave(value);
			return (value != null) ? CompletionAdapterRegistry.passOn(call, value, leases) : null;
		}).whenComplete((value, failure) -> {
			leases.failed(cause(failure));
			Runnable completion = CallerClassLoader.keep(() -> complete(released, value, cause(failure)));
			// On a thread that code of the application may block, as what depends on the
			// stage may do.
			leases.end().whenComplete((nothing, ignored) -> completion.run());
		});
		return released;
	}

	/** Returns whether the declared type allows another stage to be returned. */
	static boolean canReplace(ReturnType type) {
		return type.declared().isAssignableFrom(CompletableFuture.class);
	}

	/** Returns whether the stage completes with an entity that stands for more work. */
	public static boolean hasWorkInEntity(ReturnType type) {
		ResolvableType value = value(type);
		return HttpEntity.class.isAssignableFrom(value.toClass()) && hasWork(value.as(HttpEntity.class).getGeneric());
	}

	/** Returns whether the stage ends with more work, which a lock could not cover. */
	static boolean losesWork(ReturnType type) {
		return type.adapter() instanceof CompletionStageAdapter && !canReplace(type)
				&& (hasWork(value(type)) || hasWorkInEntity(type));
	}

	private static ResolvableType value(ReturnType type) {
		return type.resolvable().as(CompletionStage.class).getGeneric();
	}

	private static boolean hasWork(ResolvableType value) {
		return CompletionAdapterRegistry.find(value.toClass()) != null;
	}

	/** Completes the future like a stage that ended with the value or the failure. */
	public static void complete(CompletableFuture<Object> result, @Nullable Object value, @Nullable Throwable failure) {
		if (failure != null) {
			result.completeExceptionally(failure);
		}
		else {
			result.complete(value);
		}
	}

	/** Returns the failure of the application's own stage, without its wrapper. */
	public static @Nullable Throwable cause(@Nullable Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

}
