package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.core.ResolvableType;
import org.springframework.http.HttpEntity;
import org.springframework.util.ClassUtils;

import io.github.lockstarter.LockConfigurationException;

/**
 * Refuses methods that return before their work is done. A lock has to cover the work,
 * and one that ended with the method would cover none of it.
 */
final class UnsupportedReturnTypes {

	private static final Class<?>[] UNSUPPORTED = Stream
		.of(CompletionStage.class.getName(), Future.class.getName(), Callable.class.getName(), Stream.class.getName(),
				"org.reactivestreams.Publisher", "java.util.concurrent.Flow$Publisher", "kotlinx.coroutines.flow.Flow",
				"org.springframework.web.context.request.async.DeferredResult",
				"org.springframework.web.context.request.async.WebAsyncTask",
				"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
				"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody")
		.map(UnsupportedReturnTypes::load)
		.filter((type) -> type != null)
		.toArray(Class<?>[]::new);

	private UnsupportedReturnTypes() {
	}

	/**
	 * Refuses the method if it is one of them.
	 * @throws LockConfigurationException if so
	 */
	static void refuse(Method method, Class<?> type, String where) {
		ResolvableType returned = ResolvableType.forMethodReturnType(method, type);
		if (returned.toClass() == HttpEntity.class || HttpEntity.class.isAssignableFrom(returned.toClass())) {
			returned = returned.as(HttpEntity.class).getGeneric();
		}
		Class<?> result = returned.toClass();
		if (KotlinDetector.isSuspendingFunction(method)
				|| Stream.of(UNSUPPORTED).anyMatch((each) -> each.isAssignableFrom(result))) {
			throw new LockConfigurationException(
					"%s: its work goes on after the method has returned, which this version cannot lock yet."
						.formatted(where),
					"Return a plain value, or use LockRegistry and release the lease when the work is done.");
		}
	}

	private static @Nullable Class<?> load(String name) {
		ClassLoader classLoader = UnsupportedReturnTypes.class.getClassLoader();
		return ClassUtils.isPresent(name, classLoader) ? ClassUtils.resolveClassName(name, classLoader) : null;
	}

}
