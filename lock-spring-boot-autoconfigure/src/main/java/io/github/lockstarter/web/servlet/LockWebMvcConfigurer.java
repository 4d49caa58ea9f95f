package io.github.lockstarter.web.servlet;

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.HandlerMethodReturnValueHandler;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

import io.github.lockstarter.interceptor.ExclusiveRequestInterceptor;
import io.github.lockstarter.operation.LockedMethod;
import io.github.lockstarter.web.servlet.ServletRequestHandling.Suspendable;

/**
 * Registers the support for locks in Spring MVC.
 */
public final class LockWebMvcConfigurer implements WebMvcConfigurer {

	private final Supplier<RequestMappingHandlerAdapter> adapter;

	private final EarlyHandlers early;

	private final Supplier<ExclusiveRequestInterceptor> advice;

	private final ServletRequestSupport requests;

	private final BooleanSupplier suspends;

	/**
	 * Creates a configurer.
	 * @param adapter calls the handlers
	 * @param advice acquires the locks of handlers
	 * @param requests finds the request of a handler
	 * @param suspends whether plain handlers free their thread while they wait
	 */
	public LockWebMvcConfigurer(Supplier<RequestMappingHandlerAdapter> adapter,
			Supplier<ExclusiveRequestInterceptor> advice, ServletRequestSupport requests, BooleanSupplier suspends) {
		this.adapter = adapter;
		this.early = new EarlyHandlers(adapter);
		this.advice = advice;
		this.requests = requests;
		this.suspends = suspends;
	}

	/**
	 * Logs a warning for a handler that gets an entity which Spring MVC loads before the
	 * lock is acquired: another request may change it in between.
	 * @param handler the handler
	 * @param bean its controller; {@code null} if there is none yet
	 */
	public void checkLoadedArguments(HandlerMethod handler, @Nullable Object bean) {
		LockedMethod method = this.advice.get().find(handler.getMethod(), handler.getBeanType());
		if (method != null) {
			this.early.check(method, handler, bean);
		}
	}

	@Override
	public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
		resolvers.add(new ServletLeaseArgumentResolver((method, type) -> this.advice.get().find(method, type) != null));
	}

	@Override
	public void addReturnValueHandlers(List<HandlerMethodReturnValueHandler> handlers) {
		handlers.add(new ResumedHandler.ResumingHandler(this.adapter));
	}

	@Override
	public void addInterceptors(InterceptorRegistry registry) {
		Suspendable suspendable = this.suspends.getAsBoolean() ? Suspendable.ALL : Suspendable.ASYNCHRONOUS;
		// The first interceptor before a request is the last one to be notified of its
		// end.
		registry.addInterceptor(new LockHandlerInterceptor(suspendable)).order(Ordered.HIGHEST_PRECEDENCE);
		registry.addInterceptor(new EarlyLockInterceptor(this.advice, this.requests, this.early))
			.order(Ordered.LOWEST_PRECEDENCE);
	}

}
