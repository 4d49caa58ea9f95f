package io.github.lockstarter.aop;

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;
import org.springframework.web.method.support.HandlerMethodReturnValueHandler;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

import io.github.lockstarter.aop.ServletHandling.Suspendable;

/**
 * Lets annotated handlers of Spring MVC wait without a thread, keep their locks until the
 * end of the request, and tell of shared answers.
 */
public final class ServletHandlingConfigurer implements WebMvcConfigurer, HandlerExceptionResolver, Ordered {

	private final Supplier<RequestMappingHandlerAdapter> adapter;

	private final BooleanSupplier keepsThread;

	/**
	 * Creates a configurer.
	 * @param adapter calls the handlers
	 * @param keepsThread whether plain handlers keep their thread while they wait
	 */
	public ServletHandlingConfigurer(Supplier<RequestMappingHandlerAdapter> adapter, BooleanSupplier keepsThread) {
		this.adapter = adapter;
		this.keepsThread = keepsThread;
	}

	/** It comes before resolvers that answer every exception. */
	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	/** Leaves a request alone whose handler waits. */
	@Override
	public @Nullable ModelAndView resolveException(HttpServletRequest request, HttpServletResponse response,
			@Nullable Object handler, Exception exception) {
		return (exception instanceof HandlerWaitsException) ? new ModelAndView() : null;
	}

	@Override
	public void addReturnValueHandlers(List<HandlerMethodReturnValueHandler> handlers) {
		handlers.add(new Resumption.Handler(this.adapter));
	}

	@Override
	public void addInterceptors(InterceptorRegistry registry) {
		boolean keepsThread = this.keepsThread.getAsBoolean();
		// The first to be asked before a request is the last to be told of its end.
		registry.addInterceptor(new HandlerInterceptor() {

			@Override
			public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
				if (request.getDispatcherType() == DispatcherType.ASYNC
						&& request.getAttribute(Holding.REPLAYED_ATTRIBUTE) != null) {
					response.setHeader(Holding.REPLAYED, "true");
				}
				PreparedModel.forget(request);
				request.setAttribute(ServletHandling.SUSPENDABLE,
						keepsThread ? Suspendable.ASYNCHRONOUS : Suspendable.ALL);
				return true;
			}

			@Override
			public void afterCompletion(HttpServletRequest request, HttpServletResponse response, Object handler,
					@Nullable Exception failure) {
				if (request.getAttribute(EndOfRequest.ATTRIBUTE) instanceof EndOfRequest end) {
					end.reached();
				}
			}

		}).order(Ordered.HIGHEST_PRECEDENCE);
	}

}
