package io.github.lockstarter.web.servlet;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.ModelAndView;

import io.github.lockstarter.LockConflictException;

/**
 * Throws the conflict of a refused handler after the handler has returned. Spring MVC
 * handles it as one that the handler throws, but it need not pass through the proxy of
 * the controller and reflection, which takes a good part of the time of a refusal.
 */
final class RefusalInterceptor implements HandlerInterceptor {

	private static final String CONFLICT = RefusalInterceptor.class.getName() + ".conflict";

	/** Lets the conflict be thrown when the handler has returned. */
	static void throwAfterwards(LockConflictException conflict, HttpServletRequest request) {
		request.setAttribute(CONFLICT, conflict);
	}

	@Override
	public void postHandle(HttpServletRequest request, HttpServletResponse response, Object handler,
			@Nullable ModelAndView view) {
		if (request.getAttribute(CONFLICT) instanceof LockConflictException conflict) {
			request.removeAttribute(CONFLICT);
			throw conflict;
		}
	}

}
