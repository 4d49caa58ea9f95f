package io.github.lockstarter.web.servlet;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.servlet.HandlerInterceptor;

import io.github.lockstarter.completion.RequestCompletion;
import io.github.lockstarter.result.ResponseHead;
import io.github.lockstarter.web.servlet.ServletRequestHandling.Suspendable;

/**
 * Tells annotated handlers whether they may wait without a thread, clients of shared
 * answers, and leases of the end of their request.
 */
final class LockHandlerInterceptor implements HandlerInterceptor {

	private final Suspendable suspendable;

	/**
	 * Creates an interceptor.
	 * @param suspendable which handlers may wait without a thread
	 */
	LockHandlerInterceptor(Suspendable suspendable) {
		this.suspendable = suspendable;
	}

	@Override
	public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
		if (request.getDispatcherType() == DispatcherType.ASYNC
				&& request.getAttribute(ServletRequestHandling.REPLAYED) instanceof ResponseHead replayed) {
			ReplayedAnswerResolver.setHead(replayed, response);
		}
		PreparedModel.forget(request);
		request.setAttribute(ServletRequestHandling.SUSPENDABLE, this.suspendable);
		return true;
	}

	@Override
	public void afterCompletion(HttpServletRequest request, HttpServletResponse response, Object handler,
			@Nullable Exception failure) {
		// Until its answer is known, a request has not ended.
		if (request.getAttribute(RequestCompletion.ATTRIBUTE) instanceof RequestCompletion end && !end.awaitsAnswer()) {
			end.reached();
		}
	}

}
