package io.github.lockstarter.web.servlet;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.ModelAndView;

import io.github.lockstarter.LockConflictException;

/**
 * Throws the conflict of a refused handler after the handler has returned. Spring MVC
 * handles it like an exception of the handler. It does not pass through the proxy of the
 * controller and reflection, which would take a large part of the time of a refusal.
 */
final class RefusalInterceptor implements HandlerInterceptor {

	private static final String CONFLICT = RefusalInterceptor.class.getName() + ".conflict";

	/** The name of the attribute with the handler that is about to be called. */
	private static final String HANDLER = RefusalInterceptor.class.getName() + ".handler";

	/**
	 * Schedules the conflict to be thrown when the handler has returned.
	 * @return {@code false} if no interceptor would throw it: an application may have
	 * mappings, or a configuration of Spring MVC, without these interceptors
	 */
	static boolean throwAfterwards(LockConflictException conflict, HandlerMethod handler, HttpServletRequest request) {
		boolean intercepted = request.getAttribute(HANDLER) instanceof HandlerMethod called
				&& called.getMethod().equals(handler.getMethod()) && called.getBeanType() == handler.getBeanType();
		if (intercepted) {
			request.setAttribute(CONFLICT, conflict);
		}
		return intercepted;
	}

	@Override
	public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
		request.setAttribute(HANDLER, handler);
		return true;
	}

	@Override
	public void postHandle(HttpServletRequest request, HttpServletResponse response, Object handler,
			@Nullable ModelAndView view) {
		request.removeAttribute(HANDLER);
		if (request.getAttribute(CONFLICT) instanceof LockConflictException conflict) {
			request.removeAttribute(CONFLICT);
			throw conflict;
		}
	}

}
