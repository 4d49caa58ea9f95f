package io.github.lockstarter.web.graphql;

import java.lang.reflect.Method;
import java.util.function.BiPredicate;

import graphql.schema.DataFetchingEnvironment;
import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.graphql.data.method.HandlerMethodArgumentResolver;
import org.springframework.util.Assert;

import io.github.lockstarter.Lease;

/**
 * Resolves a {@link Lease} parameter of a controller method to {@code null}. The lock is
 * acquired after the arguments have been resolved. The lease is then inserted.
 */
public final class LeaseParameterResolver implements HandlerMethodArgumentResolver {

	private final BiPredicate<Method, Class<?>> locked;

	/**
	 * Creates a resolver.
	 * @param locked whether a method of a class is annotated
	 */
	public LeaseParameterResolver(BiPredicate<Method, Class<?>> locked) {
		this.locked = locked;
	}

	@Override
	public boolean supportsParameter(MethodParameter parameter) {
		return Lease.class.equals(parameter.getParameterType());
	}

	@Override
	public @Nullable Object resolveArgument(MethodParameter parameter, DataFetchingEnvironment environment) {
		Method method = parameter.getMethod();
		Assert.state(method != null && this.locked.test(method, parameter.getContainingClass()),
				() -> "%s has a parameter of type Lease, but is not annotated with @ExclusiveRequest"
					.formatted(parameter.getExecutable().toGenericString()));
		return null;
	}

}
