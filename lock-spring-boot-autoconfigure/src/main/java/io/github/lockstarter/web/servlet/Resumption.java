package io.github.lockstarter.web.servlet;

import jakarta.servlet.http.HttpServletRequest;

import org.springframework.web.context.request.async.WebAsyncManager;
import org.springframework.web.context.request.async.WebAsyncUtils;

/**
 * The result of a suspended request, with which it is dispatched again.
 */
sealed interface Resumption
		permits EarlyLockInterceptor.GrantedRequest, EarlyLockInterceptor.FailedRequest, ResumedHandler {

	/** Releases the leases that the request has waited for, if there are any. */
	void discard();

	/**
	 * Discards the result of a request whose handler is not called, because a filter
	 * forwards it to another one in the dispatch that follows the wait. Otherwise Spring
	 * MVC would take it for the result of that handler.
	 */
	static void discard(HttpServletRequest request) {
		WebAsyncManager manager = WebAsyncUtils.getAsyncManager(request);
		if (manager.hasConcurrentResult() && manager.getConcurrentResult() instanceof Resumption resumption) {
			manager.clearConcurrentResult();
			resumption.discard();
		}
	}

}
