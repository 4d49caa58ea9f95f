package io.github.lockstarter.aop;

import java.util.List;
import java.util.stream.Stream;

import org.springframework.util.ClassUtils;

/**
 * A kind of result that only Spring MVC works on, and only for handlers. It is left as it
 * is, and Spring MVC tells when its work has ended.
 */
abstract class ServletWork implements Work {

	/** What Spring MVC runs as a task. */
	static final List<String> TASKS = List.of("java.util.concurrent.Callable",
			"org.springframework.web.context.request.async.WebAsyncTask",
			"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

	/** What the application completes. */
	static final List<String> DEFERRED = List.of("org.springframework.web.context.request.async.DeferredResult",
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter");

	private final Class<?>[] types;

	/**
	 * Creates a kind.
	 * @param types the names of its types, of which not all need be there
	 */
	ServletWork(List<String> types) {
		ClassLoader classLoader = ServletWork.class.getClassLoader();
		this.types = types.stream()
			.filter((name) -> ClassUtils.isPresent(name, classLoader))
			.map((name) -> ClassUtils.resolveClassName(name, classLoader))
			.toArray(Class<?>[]::new);
	}

	@Override
	public final boolean supports(Class<?> type) {
		return Stream.of(this.types).anyMatch((each) -> each.isAssignableFrom(type));
	}

}
