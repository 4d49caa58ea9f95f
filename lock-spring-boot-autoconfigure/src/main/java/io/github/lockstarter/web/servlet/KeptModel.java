package io.github.lockstarter.web.servlet;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.util.Assert;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.HandlerMethodArgumentResolverComposite;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

/**
 * Keeps the model that Spring MVC has prepared for a call of an annotated handler, so
 * that a call in a later dispatch can use it. These are model, session and flash
 * attributes, including those that argument resolvers added. Only an argument resolver
 * has access to the model. So this resolver precedes all others, and delegates to them.
 */
public final class KeptModel implements HandlerMethodArgumentResolver {

	private static final String ATTRIBUTE = KeptModel.class.getName();

	private final HandlerMethodArgumentResolverComposite others;

	private final BiPredicate<Method, Class<?>> locked;

	private KeptModel(List<HandlerMethodArgumentResolver> others, BiPredicate<Method, Class<?>> locked) {
		this.others = new HandlerMethodArgumentResolverComposite().addResolvers(others);
		this.locked = locked;
	}

	/**
	 * Keeps the models that an adapter prepares.
	 * @param adapter calls the handlers
	 * @param locked whether a method of a class is under a lock
	 */
	public static void keep(RequestMappingHandlerAdapter adapter, BiPredicate<Method, Class<?>> locked) {
		List<HandlerMethodArgumentResolver> resolvers = adapter.getArgumentResolvers();
		Assert.state(resolvers != null, "The adapter has not been initialized");
		List<HandlerMethodArgumentResolver> all = new ArrayList<>();
		all.add(new KeptModel(resolvers, locked));
		all.addAll(resolvers);
		adapter.setArgumentResolvers(all);
	}

	/** Removes the model that was prepared for another handler. */
	static void forget(HttpServletRequest request) {
		request.removeAttribute(ATTRIBUTE);
	}

	/** Returns the prepared model, if the handler has any parameter. */
	static @Nullable ModelAndViewContainer of(HttpServletRequest request) {
		return (ModelAndViewContainer) request.getAttribute(ATTRIBUTE);
	}

	@Override
	public boolean supportsParameter(MethodParameter parameter) {
		Method method = parameter.getMethod();
		return method != null && this.locked.test(method, parameter.getContainingClass())
				&& this.others.supportsParameter(parameter);
	}

	@Override
	public @Nullable Object resolveArgument(MethodParameter parameter, @Nullable ModelAndViewContainer container,
			NativeWebRequest request, @Nullable WebDataBinderFactory binderFactory) throws Exception {
		if (container != null) {
			request.setAttribute(ATTRIBUTE, container, RequestAttributes.SCOPE_REQUEST);
		}
		return this.others.resolveArgument(parameter, container, request, binderFactory);
	}

}
