package io.github.lockstarter.aop;

import java.lang.reflect.Method;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapterRegistry;
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
				"org.springframework.web.context.request.async.DeferredResult",
				"org.springframework.web.context.request.async.WebAsyncTask",
				"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
				"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody")
		.map(UnsupportedReturnTypes::load)
		.filter((type) -> type != null)
		.toArray(Class<?>[]::new);

	/** What a method returns is looked at in each call. */
	private static final ClassValue<Boolean> unsupportedTypes = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			return Stream.of(UNSUPPORTED).anyMatch((each) -> each.isAssignableFrom(type))
					|| ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
		}

	};

	private UnsupportedReturnTypes() {
	}

	/**
	 * Refuses the method if its declared type is one of them.
	 * @throws LockConfigurationException if so
	 */
	static void refuse(Method method, Class<?> type) {
		ResolvableType returned = ResolvableType.forMethodReturnType(method, type);
		Class<?> result = HttpEntity.class.isAssignableFrom(returned.toClass())
				? returned.as(HttpEntity.class).getGeneric().toClass() : returned.toClass();
		if (KotlinDetector.isSuspendingFunction(method) || unsupportedTypes.get(result)) {
			throw unsupported(method, result);
		}
	}

	/**
	 * Refuses what the method returned, whose declared type may not have told.
	 * @throws LockConfigurationException if the work is not done yet
	 */
	static void refuse(Method method, @Nullable Object returned) {
		Object result = (returned instanceof HttpEntity<?> entity) ? entity.getBody() : returned;
		if (result != null && unsupportedTypes.get(result.getClass())) {
			throw unsupported(method, result.getClass());
		}
	}

	private static LockConfigurationException unsupported(Method method, Class<?> result) {
		return new LockConfigurationException(
				"@ExclusiveRequest on %s: the work of a %s goes on after the method has returned, which this version cannot lock."
					.formatted(method.toGenericString(), result.getSimpleName()),
				"Return a plain value, or use LockRegistry and release the lease when the work is done.");
	}

	private static @Nullable Class<?> load(String name) {
		ClassLoader classLoader = UnsupportedReturnTypes.class.getClassLoader();
		return ClassUtils.isPresent(name, classLoader) ? ClassUtils.resolveClassName(name, classLoader) : null;
	}

}
