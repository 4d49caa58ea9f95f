package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
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
		Class<?> result = LockedMethod.resultType(method, locked.type());
		Work work = locked.work();
		if (BaseStream.class.isAssignableFrom(result)
				|| (work == null && Flow.Publisher.class.isAssignableFrom(result))) {
			throw unsupported(method, "nothing tells when a %s has been read".formatted(result.getSimpleName()));
		}
		if (work instanceof FutureWork && result.getName().startsWith(Future.class.getPackageName())) {
			throw unsupported(method, "a %s does not tell when it is done".formatted(result.getSimpleName()));
		}
		if (work instanceof ServletWork && !locked.ofController()) {
			throw unsupported(method,
					"only Spring MVC does the work of a %s, for its controllers".formatted(result.getSimpleName()));
		}
	}

	/**
	 * Lets the holding end with the work that the result stands for.
	 * @return the result to return in its place
	 */
	static @Nullable Object guard(LockedCall call, @Nullable Object result, Holding holding) {
		if (result instanceof HttpEntity<?> entity && entity.getBody() != null) {
			Object body = entity.getBody();
			Object guarded = guard(call, body, holding);
			return (guarded != null && guarded != body) ? withBody(entity, guarded) : result;
		}
		Work work = (result != null) ? of(result.getClass()) : null;
		if (result == null || work == null) {
			holding.close();
			return result;
		}
		call.tellEndOfRequest(holding);
		return work.guard(call, result, holding);
	}

	/**
	 * Lets the holding go on where work has ended with an entity whose body is still to
	 * be produced.
	 * @return the value to hand on in its place
	 */
	static Object passOn(LockedCall call, Object value, Holding holding) {
		if (value instanceof HttpEntity<?> entity && entity.getBody() != null) {
			Work work = of(entity.getBody().getClass());
			if (work != null) {
				Object guarded = work.guard(call, entity.getBody(), holding);
				holding.passOn();
				return withBody(entity, guarded);
			}
		}
		return value;
	}

	/** Does the same where the value cannot be replaced. */
	static void passOnAsIs(LockedCall call, @Nullable Object value, Holding holding) {
		if (value instanceof HttpEntity<?> entity && entity.getBody() != null
				&& of(entity.getBody().getClass()) instanceof ServletWork) {
			passOn(call, value, holding);
		}
	}

	private static HttpEntity<?> withBody(HttpEntity<?> entity, Object body) {
		return (entity instanceof ResponseEntity<?> response)
				? new ResponseEntity<>(body, response.getHeaders(), response.getStatusCode())
				: new HttpEntity<>(body, entity.getHeaders());
	}

	static LockConfigurationException unsupported(Method method, String reason) {
		return new LockConfigurationException(
				"@ExclusiveRequest on %s: %s, so no lock can cover it.".formatted(method.toGenericString(), reason),
				"Return a plain value, a %s or a reactive type, or use LockRegistry and release the lease when the work is done."
					.formatted(CompletionStage.class.getSimpleName()));
	}

}
