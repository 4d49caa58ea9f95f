package io.github.lockstarter.web.servlet;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.context.ApplicationContext;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.method.ControllerAdviceBean;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.HandlerExecutionChain;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.handler.HandlerExceptionResolverComposite;
import org.springframework.web.servlet.handler.MappedInterceptor;
import org.springframework.web.servlet.mvc.annotation.ResponseStatusExceptionResolver;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;
import org.springframework.web.servlet.mvc.method.annotation.ExceptionHandlerExceptionResolver;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyAdvice;
import org.springframework.web.servlet.mvc.support.DefaultHandlerExceptionResolver;

/**
 * What an application may have that sees conflicts, or answers to them, only if they take
 * the way of an exception through Spring MVC.
 */
public final class ConflictObservers {

	private static final Set<Class<?>> RESOLVERS = Set.of(ExceptionHandlerExceptionResolver.class,
			ResponseStatusExceptionResolver.class, DefaultHandlerExceptionResolver.class,
			HandlerExceptionResolverComposite.class, ConflictStatusResolver.class, SuspendedRequestResolver.class);

	/** It remembers an exception for an error page, which a conflict does not get. */
	private static final String ERROR_ATTRIBUTES = "org.springframework.boot.webmvc.error.DefaultErrorAttributes";

	/** Their interceptors do nothing for a response that has been written. */
	private static final List<String> FRAMEWORKS = List.of("org.springframework.web.", "org.springframework.orm.");

	private final ApplicationContext context;

	private final Supplier<RequestMappingHandlerAdapter> adapter;

	/**
	 * Creates observers.
	 * @param context the application
	 * @param adapter writes what handlers return
	 */
	public ConflictObservers(ApplicationContext context, Supplier<RequestMappingHandlerAdapter> adapter) {
		this.context = context;
		this.adapter = adapter;
	}

	/** Returns whether there is something that observes answers to such a request. */
	boolean observe(HttpServletRequest request) {
		return hasResolver() || changesBodies() || !this.adapter.get().getErrorResponseInterceptors().isEmpty()
				|| hasInterceptor(request);
	}

	private boolean hasResolver() {
		return BeanFactoryUtils.beansOfTypeIncludingAncestors(this.context, HandlerExceptionResolver.class, true, false)
			.values()
			.stream()
			.flatMap((resolver) -> (resolver instanceof HandlerExceptionResolverComposite composite)
					? composite.getExceptionResolvers().stream() : Stream.of(resolver))
			.map(Object::getClass)
			.anyMatch((type) -> !RESOLVERS.contains(type) && !type.getName().equals(ERROR_ATTRIBUTES));
	}

	private boolean changesBodies() {
		return ControllerAdviceBean.findAnnotatedBeans(this.context)
			.stream()
			.map(ControllerAdviceBean::getBeanType)
			.anyMatch((type) -> type != null && ResponseBodyAdvice.class.isAssignableFrom(type));
	}

	/** Returns whether something is called after handlers that did not throw. */
	private boolean hasInterceptor(HttpServletRequest request) {
		return this.context.getBeanProvider(RequestMappingInfoHandlerMapping.class)
			.stream()
			.flatMap((mapping) -> interceptors(mapping, request))
			.anyMatch(ConflictObservers::isCalledAfterwards);
	}

	private static Stream<HandlerInterceptor> interceptors(RequestMappingInfoHandlerMapping mapping,
			HttpServletRequest request) {
		try {
			HandlerExecutionChain chain = mapping.getHandler(request);
			return (chain != null) ? chain.getInterceptorList().stream() : Stream.empty();
		}
		catch (Exception ex) {
			// The handler is one of another mapping.
			return Stream.empty();
		}
	}

	private static boolean isCalledAfterwards(HandlerInterceptor interceptor) {
		if (interceptor instanceof MappedInterceptor mapped) {
			return isCalledAfterwards(mapped.getInterceptor());
		}
		Method method = ReflectionUtils.findMethod(interceptor.getClass(), "postHandle", HttpServletRequest.class,
				HttpServletResponse.class, Object.class, ModelAndView.class);
		return method != null && FRAMEWORKS.stream().noneMatch(method.getDeclaringClass().getName()::startsWith);
	}

}
