package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpEntity;
import org.springframework.http.ResponseEntity;

import io.github.lockstarter.LockConfigurationException;

/**
 * The kinds of results whose work goes on after the method, and those that cannot be put
 * under a lock.
 */
final class Works {

	private static final List<Work> KINDS = kinds();

	/** Unless there is a kind for them. */
	private static final List<Class<?>> UNKNOWN = List.of(BaseStream.class, Flow.Publisher.class, Callable.class);

	/** What a method returns is looked at in each call. */
	private static final ClassValue<Optional<Work>> byType = new ClassValue<>() {

		@Override
		protected Optional<Work> computeValue(Class<?> type) {
			return KINDS.stream().filter((each) -> each.supports(type)).findFirst();
		}

	};

	private Works() {
	}

	private static List<Work> kinds() {
		List<Work> kinds = new ArrayList<>();
		kinds.add(new StageWork());
		if (Present.REACTOR) {
			// Before tasks: some types of Reactor are a Callable, too.
			kinds.add(new ReactiveWork());
		}
		if (Present.SPRING_MVC) {
			kinds.add(new CallableWork());
			kinds.add(new DeferredWork());
		}
		kinds.add(new FutureWork());
		return kinds;
	}

	/** Returns the kind of results of the type, or {@code null} for plain values. */
	static @Nullable Work of(Class<?> type) {
		return byType.get(type).orElse(null);
	}

	/**
	 * Looks at the return type, as far as it tells.
	 * @throws LockConfigurationException if the method cannot be put under a lock
	 */
	static void check(LockedMethod locked) {
		Method method = locked.method();
		Class<?> result = locked.result();
		String name = result.getSimpleName();
		Work work = locked.work();
		if (work == null && UNKNOWN.stream().anyMatch((type) -> type.isAssignableFrom(result))) {
			throw unsupported(method, "nothing tells when the work of a %s ends".formatted(name));
		}
		if (work instanceof FutureWork && result.getName().startsWith(Future.class.getPackageName())) {
			throw unsupported(method, "a %s does not tell when it is done".formatted(name));
		}
		if (StageWork.losesWork(locked)) {
			throw unsupported(method,
					"a %s cannot be replaced, so nothing tells when the work in its value ends".formatted(name),
					"Return a CompletableFuture.");
		}
		if (work instanceof ServletWork && !locked.ofController()) {
			throw unsupported(method, "only Spring MVC does the work of a %s, for its controllers".formatted(name));
		}
		if (work != null && locked.isEntity() && !locked.ofController()) {
			throw unsupported(method,
					"only for controllers somebody is sure to do the work of a %s in an entity".formatted(name));
		}
		if (locked.isReactive() && !ReactiveWork.canReturn(result)) {
			throw unsupported(method, "nothing but the method itself can make a %s".formatted(name));
		}
	}

	/**
	 * Lets the holding end with the work that the result stands for.
	 * @return the result to return in its place
	 */
	static @Nullable Object guard(LockedCall call, @Nullable Object result, Holding holding) {
		if (result instanceof HttpEntity<?> entity && entity.getBody() != null
				&& of(entity.getBody().getClass()) != null) {
			Object body = entity.getBody();
			if (!call.isServletHandling()) {
				throw unsupported(call.method().method(), "nobody is sure to do the work in the entity it returned");
			}
			Object guarded = guard(call, body, holding);
			return (guarded != null && guarded != body) ? withBody(entity, guarded) : result;
		}
		Work work = (result != null) ? of(result.getClass()) : null;
		if (result == null || work == null) {
			holding.leave(result);
			holding.close();
			return result;
		}
		call.tellEndOfRequest(holding);
		return work.guard(call, result, holding);
	}

	/**
	 * Returns what the method would return if its work had ended with the value.
	 * @param value the value, or a list of values
	 */
	static @Nullable Object completed(LockedMethod method, @Nullable Object value) {
		if (method.isSuspending() || method.isReactive()) {
			return ReactiveWork.completed(method, value);
		}
		return (method.work() instanceof StageWork) ? CompletableFuture.completedFuture(value) : value;
	}

	/**
	 * Lets the holding go on where work of a handler has ended with a value, or an entity
	 * with a body, that stands for more work.
	 * @return the value to hand on in its place
	 */
	static Object passOn(LockedCall call, Object value, Holding holding) {
		Object body = body(value);
		Work work = (body != null && holding.isWatched()) ? of(body.getClass()) : null;
		if (body == null || work == null) {
			return value;
		}
		Object guarded = work.guard(call, body, holding);
		holding.passOn();
		return (value instanceof HttpEntity<?> entity) ? withBody(entity, guarded) : guarded;
	}

	/** Does the same where the value cannot be replaced. */
	static void passOnAsIs(LockedCall call, @Nullable Object value, Holding holding) {
		Object body = body(value);
		Work work = (body != null) ? of(body.getClass()) : null;
		if (body != null && work instanceof ServletWork) {
			passOn(call, body, holding);
		}
		else if (work != null && !(work instanceof FutureWork)) {
			// Spring MVC makes a DeferredResult of it.
			DeferredWork.follow(call, holding);
			holding.passOn();
		}
	}

	private static @Nullable Object body(@Nullable Object value) {
		return (value instanceof HttpEntity<?> entity) ? entity.getBody() : value;
	}

	private static HttpEntity<?> withBody(HttpEntity<?> entity, Object body) {
		return (entity instanceof ResponseEntity<?> response)
				? new ResponseEntity<>(body, response.getHeaders(), response.getStatusCode())
				: new HttpEntity<>(body, entity.getHeaders());
	}

	static LockConfigurationException unsupported(Method method, String reason) {
		return unsupported(method, reason,
				"Return a plain value, a CompletionStage or a reactive type, or use LockRegistry and release the lease when the work is done.");
	}

	static LockConfigurationException unsupported(Method method, String reason, String action) {
		return new LockConfigurationException(
				"@ExclusiveRequest on %s: %s, so no lock can cover it.".formatted(method.toGenericString(), reason),
				action);
	}

}
