package io.github.lockstarter.web.servlet;

import java.lang.reflect.Method;
import java.util.function.BiPredicate;

import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.util.Assert;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.ModelAndViewContainer;

import io.github.lockstarter.Lease;

/**
 * Resolves a {@link Lease} parameter of a controller method to {@code null}. The lock is
 * acquired after the arguments of a request have been resolved. The lease is then
 * inserted.
 */
public final class ServletLeaseArgumentResolver implements HandlerMethodArgumentResolver {

	private final BiPredicate<Method, Class<?>> locked;

	/**
	 * Creates a resolver.
	 * @param locked whether a method of a class is annotated
	 */
	public ServletLeaseArgumentResolver(BiPredicate<Method, Class<?>> locked) {
		this.locked = locked;
	}

	@Override
	public boolean supportsParameter(MethodParameter parameter) {
		return Lease.class.equals(parameter.getParameterType());
	}

	@Override
	public @Nullable Object resolveArgument(MethodParameter parameter, @Nullable ModelAndViewContainer container,
			NativeWebRequest request, @Nullable WebDataBinderFactory binderFactory) {
		Method method = parameter.getMethod();
		Assert.state(method != null && this.locked.test(method, parameter.getContainingClass()),
				() -> "%s has a parameter of type Lease, but is not annotated with @ExclusiveRequest"
					.formatted(parameter.getExecutable().toGenericString()));
		return null;
	}

}
