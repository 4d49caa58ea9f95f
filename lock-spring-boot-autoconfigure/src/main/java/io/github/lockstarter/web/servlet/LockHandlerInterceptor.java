package io.github.lockstarter.web.servlet;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.servlet.AsyncHandlerInterceptor;

import io.github.lockstarter.completion.RequestCompletion;
import io.github.lockstarter.web.ReplayedHeader;
import io.github.lockstarter.web.servlet.ServletRequestHandling.Suspendable;

/**
 * Provides annotated handlers with the information whether they may wait without a
 * thread, marks replayed responses, and notifies leases of the end of their request: of
 * its outermost dispatch.
 */
final class LockHandlerInterceptor implements AsyncHandlerInterceptor {

	private final Suspendable suspendable;

	/**
	 * Creates an interceptor.
	 * @param suspendable the handlers that may wait without a thread
	 */
	LockHandlerInterceptor(Suspendable suspendable) {
		this.suspendable = suspendable;
	}

	@Override
	public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
		if (request.getDispatcherType() != DispatcherType.ASYNC) {
			Resumption.discard(request);
		}
		else if (request.getAttribute(ServletRequestHandling.REPLAYED) != null) {
			response.setHeader(ReplayedHeader.NAME, ReplayedHeader.VALUE);
		}
		FilterHeaders.restore(request, response);
		CallerSecurity.restore(request);
		KeptModel.forget(request);
		// A suspended request is dispatched again as a whole, which would call the
		// handler of the enclosing dispatch twice. Containers end the response when the
		// dispatch to the error page returns, which Spring Boot forwards to in a WAR.
		boolean keepsThread = Dispatches.begin(request, handler)
				|| request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE) != null;
		request.setAttribute(ServletRequestHandling.SUSPENDABLE, keepsThread ? null : this.suspendable);
		return true;
	}

	@Override
	public void afterCompletion(HttpServletRequest request, HttpServletResponse response, Object handler,
			@Nullable Exception failure) {
		if (!Dispatches.end(request, handler)) {
			return;
		}
		CallerSecurity.end(request);
		// A request has not ended before its response is known.
		if (request.getAttribute(RequestCompletion.ATTRIBUTE) instanceof RequestCompletion end
				&& !end.awaitsResponse()) {
			end.reached();
		}
	}

	@Override
	public void afterConcurrentHandlingStarted(HttpServletRequest request, HttpServletResponse response,
			Object handler) {
		if (Dispatches.end(request, handler)) {
			CallerSecurity.end(request);
		}
	}

}
