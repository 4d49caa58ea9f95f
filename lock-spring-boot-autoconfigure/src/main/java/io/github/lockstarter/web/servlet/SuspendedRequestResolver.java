package io.github.lockstarter.web.servlet;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * Resolves the exception of a suspended request, without a response.
 */
public final class SuspendedRequestResolver implements HandlerExceptionResolver, Ordered {

	/** Ordered before resolvers that resolve every exception. */
	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	@Override
	public @Nullable ModelAndView resolveException(HttpServletRequest request, HttpServletResponse response,
			@Nullable Object handler, Exception exception) {
		return (exception instanceof HandlerWaitsException) ? new ModelAndView() : null;
	}

}
