package io.github.lockstarter.web.servlet;

import java.util.function.Supplier;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.context.request.async.WebAsyncManager;
import org.springframework.web.context.request.async.WebAsyncUtils;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.AsyncHandlerInterceptor;
import org.springframework.web.servlet.DispatcherServlet;

import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.interceptor.LockAcquisition;
import io.github.lockstarter.interceptor.ExclusiveRequestInterceptor;
import io.github.lockstarter.operation.LockedMethod;
import io.github.lockstarter.result.SharedResult.Response;

/**
 * Acquires the locks of a handler before its arguments are resolved, if they depend on
 * the request only: what Spring MVC loads for the handler is then loaded under the locks.
 * Where other advice of the handler is outside of the lock, it stays so, and the call of
 * the handler acquires the locks.
 */
final class EarlyLockInterceptor implements AsyncHandlerInterceptor {

	private final Supplier<ExclusiveRequestInterceptor> advice;

	private final ServletRequestSupport requests;

	private final EarlyHandlers handlers;

	/**
	 * Creates an interceptor.
	 * @param advice acquires the locks of the other handlers
	 * @param requests finds the request of a handler
	 * @param handlers the handlers whose locks it acquires
	 */
	EarlyLockInterceptor(Supplier<ExclusiveRequestInterceptor> advice, ServletRequestSupport requests,
			EarlyHandlers handlers) {
		this.advice = advice;
		this.requests = requests;
		this.handlers = handlers;
	}

	@Override
	public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
			throws Exception {
		WebAsyncManager manager = WebAsyncUtils.getAsyncManager(request);
		if (manager.hasConcurrentResult()) {
			return resume(manager, request, response, handler);
		}
		LockedMethod method = find(handler);
		RecordedServletRequest recorded = RecordedServletRequest.of(request);
		if (recorded != null) {
			recorded.setWanted(method != null && method.readsContent());
		}
		LockAcquisition locks = (method != null) ? locks(method, (HandlerMethod) handler, request, response) : null;
		return locks == null || begin(request, response, handler, locks,
				this.requests.handling(request, response).acquire(locks, response));
	}

	/**
	 * Lets Spring MVC call the handler under the leases, or sends the response to another
	 * request.
	 * @return whether the handler is called
	 */
	private static boolean begin(HttpServletRequest request, HttpServletResponse response, Object handler,
			LockAcquisition locks, HeldLeases leases) {
		if (leases.result().received() instanceof Response received) {
			ReplayedResponseResolver.send(received, request, response);
			return false;
		}
		EarlyLeases.begin(request, handler, locks, leases);
		return true;
	}

	private @Nullable LockedMethod find(Object handler) {
		return (handler instanceof HandlerMethod method)
				? this.advice.get().find(method.getMethod(), method.getBeanType()) : null;
	}

	private @Nullable LockAcquisition locks(LockedMethod method, HandlerMethod handler, HttpServletRequest request,
			HttpServletResponse response) {
		@Nullable Object[] args = this.handlers.arguments(method, handler, new ServletWebRequest(request, response));
		return (args != null) ? this.advice.get().early(method, args, Dispatches.enclosing(request)) : null;
	}

	/**
	 * Lets Spring MVC call the handler of a request that has waited, or respond to it
	 * before anything is loaded for the handler.
	 */
	private static boolean resume(WebAsyncManager manager, HttpServletRequest request, HttpServletResponse response,
			Object handler) throws Exception {
		Object result = manager.getConcurrentResult();
		if (result instanceof GrantedRequest granted) {
			manager.clearConcurrentResult();
			request.removeAttribute(DispatcherServlet.EXCEPTION_ATTRIBUTE);
			return begin(request, response, handler, granted.locks, granted.leases);
		}
		if (result instanceof FailedRequest failed) {
			manager.clearConcurrentResult();
			throw failed.failure;
		}
		return true;
	}

	@Override
	public void afterCompletion(HttpServletRequest request, HttpServletResponse response, Object handler,
			@Nullable Exception failure) {
		EarlyLeases.end(request, handler);
	}

	@Override
	public void afterConcurrentHandlingStarted(HttpServletRequest request, HttpServletResponse response,
			Object handler) {
		EarlyLeases.end(request, handler);
	}

	/**
	 * The result of a request that has waited for its locks without a thread.
	 *
	 * @param locks the locks
	 * @param leases the leases on them
	 */
	record GrantedRequest(LockAcquisition locks, HeldLeases leases) implements Resumption {

		@Override
		public void discard() {
			this.leases.abandon();
		}

	}

	/**
	 * The result of a request whose locks were not granted.
	 *
	 * @param failure the reason
	 */
	record FailedRequest(Exception failure) implements Resumption {

		@Override
		public void discard() {
		}

	}

}
