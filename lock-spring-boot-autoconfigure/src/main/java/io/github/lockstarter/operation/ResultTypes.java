package io.github.lockstarter.operation;

import java.io.OutputStream;
import java.io.Writer;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;

import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.http.HttpEntity;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseBody;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.completion.CompletionAdapter;
import io.github.lockstarter.completion.CompletionAdapterRegistry;
import io.github.lockstarter.completion.ReactiveTypeAdapter;
import io.github.lockstarter.completion.ReturnType;
import io.github.lockstarter.result.ResultType;

/**
 * Determines the type of the value with which the work of an annotated method ends, for
 * sharing.
 */
final class ResultTypes {

	/**
	 * Parameters with which a handler that returns nothing can write its response itself.
	 */
	private static final List<String> ANSWERS = List.of("jakarta.servlet.ServletResponse",
			"jakarta.servlet.http.HttpServletResponse", "org.springframework.http.server.reactive.ServerHttpResponse",
			"org.springframework.web.server.ServerWebExchange");

	/** Parameters with which a handler writes its response itself. */
	private static final List<Class<?>> WRITERS = List.of(OutputStream.class, Writer.class);

	/** Results that name a view of Spring MVC. */
	private static final List<String> VIEWS = List.of(String.class.getName(),
			"org.springframework.web.servlet.ModelAndView", "org.springframework.web.servlet.View",
			"org.springframework.web.servlet.view.RedirectView");

	private ResultTypes() {
	}

	/**
	 * Returns the type.
	 * @param replayed whether results are kept for later duplicates, which is possible
	 * for a redirect to a view
	 * @throws LockConfigurationException if values of that type cannot be shared
	 */
	static ResultType of(LockedMethod locked, boolean replayed) {
		Method method = locked.method();
		ResultType result = ofWork(locked.returnType());
		Class<?> value = result.type().toClass();
		boolean entity = HttpEntity.class.isAssignableFrom(value);
		if (locked.ofController() && !entity && isView(locked)) {
			if (replayed && locked.returnType().isComplete() && VIEWS.contains(value.getName())) {
				return new ResultType(result.owner(), result.type(), false, true);
			}
			throw unsupported(method, "it returns the name of a view");
		}
		Class<?> body = entity ? result.type().as(HttpEntity.class).getGeneric().toClass() : value;
		if (CompletionAdapterRegistry.find(body) != null || (entity && result.many())) {
			throw unsupported(method,
					"a %s inside of another result can be read only once".formatted(body.getSimpleName()));
		}
		boolean nothing = value == void.class || value == Void.class;
		if (Arrays.stream(method.getParameterTypes())
			.anyMatch((type) -> WRITERS.contains(type) || (nothing && ANSWERS.contains(type.getName())))) {
			throw unsupported(method, "it writes its response itself");
		}
		return result;
	}

	private static ResultType ofWork(ReturnType returned) {
		CompletionAdapter adapter = CompletionAdapterRegistry.find(returned.declared());
		if (adapter == null) {
			return new ResultType(returned.owner(), returned.resolvable(), false);
		}
		if (returned.isReplaceableStage()) {
			return new ResultType(returned.owner(), returned.resolvable().as(CompletionStage.class).getGeneric(),
					false);
		}
		if (adapter.isReactive()) {
			return ReactiveTypeAdapter.resultType(returned.owner(), returned.resolvable());
		}
		throw unsupported(returned.method(),
				"a %s can be read only once".formatted(returned.declared().getSimpleName()));
	}

	private static boolean isView(LockedMethod locked) {
		return AnnotatedElementUtils.hasAnnotation(locked.method(), RequestMapping.class)
				&& !AnnotatedElementUtils.hasAnnotation(locked.method(), ResponseBody.class)
				&& !AnnotatedElementUtils.hasAnnotation(locked.type(), ResponseBody.class);
	}

	private static LockConfigurationException unsupported(Method method, String reason) {
		return new LockConfigurationException(
				"@ExclusiveRequest on %s cannot share or replay what the method returns: %s."
					.formatted(method.toGenericString(), reason),
				"Return a value or a ResponseEntity, also in a CompletableFuture or Mono, or a Flux of values.");
	}

}
