package io.github.lockstarter.web.servlet;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.completion.RequestCompletion;

/**
 * The dispatches of a request to handlers that have begun and have not ended. A handler
 * or its view may include another handler or forward to it. The end of such a nested
 * dispatch is not the end of the request.
 */
final class Dispatches {

	private static final String ATTRIBUTE = Dispatches.class.getName();

	private static final Set<DispatcherType> NESTED = EnumSet.of(DispatcherType.FORWARD, DispatcherType.INCLUDE);

	/** The dispatches, the innermost first. */
	private final Deque<Dispatch> open = new ArrayDeque<>(2);

	private Dispatches() {
	}

	/**
	 * Marks that a dispatch begins.
	 * @return whether it is nested in another one
	 */
	static boolean begin(HttpServletRequest request, Object handler) {
		Dispatches dispatches = of(request);
		if (dispatches == null) {
			dispatches = new Dispatches();
			request.setAttribute(ATTRIBUTE, dispatches);
		}
		if (!NESTED.contains(request.getDispatcherType())) {
			// A dispatch that has begun asynchronous work ends with the next one.
			dispatches.open.clear();
		}
		if (dispatches.open.isEmpty() && !isCompletionAhead(request)) {
			// Spring MVC removes the attributes that are set in an included dispatch.
			request.setAttribute(RequestCompletion.ATTRIBUTE, new RequestCompletion());
		}
		dispatches.open.push(new Dispatch(handler,
				(request.getAttribute(ServletRequestHandling.LEASES) instanceof HeldLeases leases) ? leases : null));
		return dispatches.open.size() > 1;
	}

	/**
	 * The completion has been reached, although the request goes on, if the error page
	 * follows, or if a filter forwards the request after its handler.
	 */
	private static boolean isCompletionAhead(HttpServletRequest request) {
		return request.getAttribute(RequestCompletion.ATTRIBUTE) instanceof RequestCompletion end && !end.isReached();
	}

	/**
	 * Marks that a dispatch ends.
	 * @return whether it is the outermost one
	 */
	static boolean end(HttpServletRequest request, Object handler) {
		Dispatches dispatches = of(request);
		if (dispatches == null) {
			return true;
		}
		Dispatch last = dispatches.open.peek();
		if (last != null && last.handler == handler) {
			dispatches.open.pop();
			if (!dispatches.open.isEmpty()) {
				request.setAttribute(ServletRequestHandling.LEASES, last.leases);
			}
		}
		return dispatches.open.isEmpty();
	}

	/**
	 * Returns the leases that handlers of enclosing dispatches hold until the end of the
	 * request, those of the innermost handler first.
	 */
	static List<HeldLeases> enclosing(HttpServletRequest request) {
		return (isNested(request) && request.getAttribute(RequestCompletion.ATTRIBUTE) instanceof RequestCompletion end)
				? end.leases() : List.of();
	}

	/** Returns whether the current dispatch is nested in another one. */
	static boolean isNested(HttpServletRequest request) {
		Dispatches dispatches = of(request);
		return dispatches != null && dispatches.open.size() > 1;
	}

	private static @Nullable Dispatches of(HttpServletRequest request) {
		return (request.getAttribute(ATTRIBUTE) instanceof Dispatches dispatches) ? dispatches : null;
	}

	/**
	 * A dispatch.
	 *
	 * @param leases the leases of the handler of the enclosing dispatch
	 */
	private record Dispatch(Object handler, @Nullable HeldLeases leases) {
	}

}
