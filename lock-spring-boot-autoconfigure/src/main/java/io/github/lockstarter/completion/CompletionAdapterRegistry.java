package io.github.lockstarter.completion;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpEntity;
import org.springframework.http.ResponseEntity;
import org.springframework.util.ClassUtils;

import io.github.lockstarter.LockConfigurationException;

/**
 * Finds the adapter for a result whose work continues after the method has returned, and
 * fails for results that cannot be put under a lock.
 */
public final class CompletionAdapterRegistry {

	private static final String REACTOR = "reactor.core.publisher.Flux";

	private static final String SERVLET = "jakarta.servlet.http.HttpServletRequest";

	private static final String SPRING_MVC = "org.springframework.web.servlet.HandlerMapping";

	private static final List<CompletionAdapter> KINDS = kinds();

	/** Types whose work has no known end, unless there is an adapter for them. */
	private static final List<Class<?>> UNKNOWN = List.of(BaseStream.class, Flow.Publisher.class, Callable.class);

	/** Cached, because each call looks up the type of its result. */
	private static final ClassValue<Optional<CompletionAdapter>> byType = new ClassValue<>() {

		@Override
		protected Optional<CompletionAdapter> computeValue(Class<?> type) {
			return KINDS.stream().filter((each) -> each.supports(type)).findFirst();
		}

	};

	private CompletionAdapterRegistry() {
	}

	private static List<CompletionAdapter> kinds() {
		List<CompletionAdapter> kinds = new ArrayList<>();
		kinds.add(new CompletionStageAdapter());
		if (isPresent(REACTOR)) {
			// Before tasks: some types of Reactor are a Callable, too.
			kinds.add(new ReactiveTypeAdapter());
		}
		if (isPresent(SERVLET) && isPresent(SPRING_MVC)) {
			kinds.add(HandlerResultAdapter.ofTasks());
			kinds.add(HandlerResultAdapter.ofDeferred());
		}
		kinds.add(new FutureAdapter());
		return kinds;
	}

	private static boolean isPresent(String name) {
		return ClassUtils.isPresent(name, CompletionAdapterRegistry.class.getClassLoader());
	}

	/** Returns the names of all optional classes. */
	public static Stream<String> optionalTypes() {
		return Stream
			.of(List.of(REACTOR, SERVLET, SPRING_MVC, CallTransactions.TRANSACTIONS), HandlerResultAdapter.TASKS,
					HandlerResultAdapter.DEFERRED)
			.flatMap(List::stream);
	}

	/** Returns the adapter for results of the type, or {@code null} for plain values. */
	public static @Nullable CompletionAdapter find(Class<?> type) {
		return byType.get(type).orElse(null);
	}

	/**
	 * Checks a declared return type.
	 * @param ofController whether the class of the bean is a controller
	 * @throws LockConfigurationException if the method cannot be put under a lock
	 */
	public static void check(ReturnType type, boolean ofController) {
		Class<?> value = type.value();
		String name = value.getSimpleName();
		CompletionAdapter adapter = type.adapter();
		if (adapter == null && UNKNOWN.stream().anyMatch((each) -> each.isAssignableFrom(value))) {
			throw unsupported(type, "the end of the work of a %s is unknown".formatted(name));
		}
		if (adapter instanceof FutureAdapter && value.getName().startsWith(Future.class.getPackageName())) {
			throw unsupported(type, "a %s does not notify of its completion".formatted(name));
		}
		if (CompletionStageAdapter.losesWork(type)) {
			throw unsupported(type,
					"a %s cannot be replaced, so the end of the work in its value is unknown".formatted(name),
					"Return a CompletableFuture.");
		}
		if (adapter instanceof HandlerResultAdapter && !ofController) {
			throw unsupported(type, "a %s is processed by Spring MVC only, for its controllers".formatted(name));
		}
		if (adapter != null && type.isEntity() && !ofController) {
			throw unsupported(type,
					"the work of a %s in an entity can be tracked only for controllers".formatted(name));
		}
		if (type.isReactive() && !ReactiveTypeAdapter.canReturn(value)) {
			throw unsupported(type, "a %s cannot be created from a Publisher".formatted(name));
		}
	}

	/**
	 * Releases the leases after the work that the result stands for.
	 * @return the result to return in its place
	 */
	public static @Nullable Object guard(GuardedCall call, @Nullable Object result, HeldLeases leases) {
		leases.result().noteStatus();
		if (result instanceof HttpEntity<?> entity && entity.getBody() != null
				&& find(entity.getBody().getClass()) != null) {
			Object body = entity.getBody();
			if (call.request() == null) {
				throw unsupported(call.returnType(),
						"the work in the entity that it returned can be tracked only for requests to controllers");
			}
			Object guarded = guard(call, body, leases);
			return (guarded != null && guarded != body) ? withBody(entity, guarded) : result;
		}
		CompletionAdapter adapter = (result != null) ? find(result.getClass()) : null;
		if (result == null || adapter == null) {
			leases.leave(result);
			leases.close();
			return result;
		}
		HandledRequest request = call.request();
		if (request != null) {
			request.releaseAtEnd(leases);
		}
		return adapter.guard(call, result, leases);
	}

	/**
	 * Does work under leases, which are released when the work has ended: with this
	 * method, or later.
	 * @return the result of the work, or what stands for it
	 */
	public static @Nullable Object run(GuardedCall call, HeldLeases leases, GuardedWork work) throws Throwable {
		boolean guarded = false;
		try {
			Object result = guard(call, work.run(), leases);
			guarded = true;
			return result;
		}
		catch (Throwable ex) {
			leases.failed(ex);
			throw ex;
		}
		finally {
			if (!guarded) {
				leases.close();
			}
		}
	}

	/**
	 * Returns what the method would return if its work had ended with the value.
	 * @param value the value, or a list of values
	 */
	public static @Nullable Object completed(ReturnType type, @Nullable Object value) {
		if (type.isSuspending() || type.isReactive()) {
			return ReactiveTypeAdapter.completed(type, value);
		}
		return (type.adapter() instanceof CompletionStageAdapter) ? CompletableFuture.completedFuture(value) : value;
	}

	/** Returns what the method would return if there was nothing to return. */
	public static @Nullable Object empty(ReturnType type) {
		return (type.declared() == Optional.class) ? Optional.empty() : completed(type, null);
	}

	/**
	 * Keeps the leases where work of a handler has ended with a value, or an entity with
	 * a body, that stands for more work.
	 * @return the value to pass on in its place
	 */
	static Object passOn(GuardedCall call, Object value, HeldLeases leases) {
		Object body = body(value);
		CompletionAdapter adapter = (body != null && leases.isWatched()) ? find(body.getClass()) : null;
		if (body == null || adapter == null) {
			return value;
		}
		Object guarded = adapter.guard(call, body, leases);
		leases.passOn();
		return (value instanceof HttpEntity<?> entity) ? withBody(entity, guarded) : guarded;
	}

	/** Keeps the leases like {@link #passOn} where the value cannot be replaced. */
	public static void passOnAsIs(GuardedCall call, HandledRequest request, @Nullable Object value, HeldLeases leases) {
		Object body = body(value);
		CompletionAdapter adapter = (body != null) ? find(body.getClass()) : null;
		if (body != null && adapter instanceof HandlerResultAdapter) {
			passOn(call, body, leases);
		}
		else if (adapter != null && !(adapter instanceof FutureAdapter)) {
			// Spring MVC converts it to a DeferredResult.
			request.followDeferred(call, leases);
			leases.passOn();
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

	static LockConfigurationException unsupported(ReturnType type, String reason) {
		return unsupported(type, reason,
				"Return a plain value, a CompletionStage or a reactive type, or use LockRegistry and release the lease when the work is done.");
	}

	/** Returns the exception for a method whose work no lock can cover. */
	public static LockConfigurationException unsupported(ReturnType type, String reason, String action) {
		return new LockConfigurationException("%s: %s, so no lock can cover it.".formatted(type.description(), reason),
				action);
	}

	/** The work of a call. */
	public interface GuardedWork {

		@Nullable Object run() throws Throwable;

	}

}
