package io.github.lockstarter.aop;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.http.HttpEntity;

/**
 * A {@link CompletionStage}: its work ends when it completes. To cancel what is returned
 * in its place, as Spring MVC does at a time-out, ends nothing: a future that is
 * cancelled tells nothing about its work.
 */
final class StageWork implements Work {

	@Override
	public boolean supports(Class<?> type) {
		return CompletionStage.class.isAssignableFrom(type);
	}

	@Override
	public Object guard(LockedCall call, Object result, Holding holding) {
		CompletionStage<?> stage = (CompletionStage<?>) result;
		holding.begin();
		if (!canReplace(call.method())) {
			stage.whenComplete((value, failure) -> holding.end());
			return stage;
		}
		return releasedFirst(call, stage, holding);
	}

	/**
	 * Returns a stage that completes like the other, once the leases have been released:
	 * whoever has its answer finds the lock free.
	 */
	private static CompletableFuture<Object> releasedFirst(LockedCall call, CompletionStage<?> stage, Holding holding) {
		CompletableFuture<Object> released = new CompletableFuture<>();
		stage.<Object>thenApply((value) -> {
			holding.leave(value);
			return (value != null) ? Works.passOn(call, value, holding) : null;
		})
			.whenComplete((value, failure) -> holding.end()
				// What comes next does not run on a thread of the registry.
				.whenCompleteAsync((nothing, ignored) -> complete(released, value, cause(failure))));
		return released;
	}

	/** Returns whether a call of the method may return before its locks are granted. */
	static boolean canReturnEarly(LockedMethod method) {
		return method.work() instanceof StageWork && canReplace(method);
	}

	/** Returns whether another stage can be returned: not for the application's own. */
	private static boolean canReplace(LockedMethod method) {
		return method.returned().isAssignableFrom(CompletableFuture.class);
	}

	/** Returns whether the stage is one of an entity in which there is more work. */
	static boolean hasReactiveBody(LockedMethod method) {
		ResolvableType value = value(method);
		return HttpEntity.class.isAssignableFrom(value.toClass()) && hasWork(value.as(HttpEntity.class).getGeneric());
	}

	/** Returns whether more work would come with what the stage completes with. */
	static boolean losesWork(LockedMethod method) {
		return method.work() instanceof StageWork && !canReplace(method)
				&& (hasWork(value(method)) || hasReactiveBody(method));
	}

	private static ResolvableType value(LockedMethod method) {
		return ResolvableType.forMethodReturnType(method.method(), method.type())
			.as(CompletionStage.class)
			.getGeneric();
	}

	private static boolean hasWork(ResolvableType value) {
		return Works.of(value.toClass()) != null;
	}

	/**
	 * Calls the method when its locks have been granted, on the common pool, and holds no
	 * thread until then.
	 */
	static CompletableFuture<Object> callLater(LockedCall call) {
		CompletableFuture<Object> result = new CompletableFuture<>();
		CompletableFuture<Holding> acquired = call.acquireAsync(call.claims(), false, result.defaultExecutor());
		acquired.whenComplete((holding, failure) -> {
			if (failure != null) {
				result.completeExceptionally(failure);
			}
			else if (result.isDone()) {
				holding.abandon();
			}
			else {
				proceed(call, holding, result);
			}
		});
		result.whenComplete((value, failure) -> {
			if (failure != null) {
				acquired.cancel(false);
			}
		});
		return result;
	}

	private static void proceed(LockedCall call, Holding holding, CompletableFuture<Object> result) {
		try {
			CompletionStage<?> stage = (CompletionStage<?>) call.proceedLater(holding);
			if (stage == null) {
				result.complete(null);
				return;
			}
			stage.whenComplete((value, failure) -> complete(result, value, failure));
		}
		catch (Throwable ex) {
			result.completeExceptionally(ex);
		}
	}

	private static void complete(CompletableFuture<Object> result, @Nullable Object value,
			@Nullable Throwable failure) {
		if (failure != null) {
			result.completeExceptionally(failure);
		}
		else {
			result.complete(value);
		}
	}

	/** The application is to see what its own stage failed with. */
	static @Nullable Throwable cause(@Nullable Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

}
