package io.github.lockstarter.web.servlet;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.operation.ConflictStatuses;

/**
 * Sets the status of a conflict, and leaves the answer to the advice of this library, to
 * one of the application, or to Spring MVC itself, which calls no advice for a functional
 * endpoint.
 */
public final class ConflictStatusResolver implements HandlerExceptionResolver {

	private final ConflictStatuses statuses;

	/**
	 * Creates a resolver, which has to come before all others.
	 * @param statuses sets the statuses of conflicts without a status
	 */
	public ConflictStatusResolver(ConflictStatuses statuses) {
		this.statuses = statuses;
	}

	@Override
	public @Nullable ModelAndView resolveException(HttpServletRequest request, HttpServletResponse response,
			@Nullable Object handler, Exception exception) {
		// Advice is called for causes, too.
		for (Throwable each = exception; each != null; each = each.getCause()) {
			if (each instanceof LockConflictException conflict) {
				this.statuses.addTo(conflict);
			}
		}
		return null;
	}

}
