package io.github.lockstarter.web.servlet;

import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.async.CallableProcessingInterceptor;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.DeferredResultProcessingInterceptor;
import org.springframework.web.context.request.async.WebAsyncManager;

import io.github.lockstarter.completion.RequestCompletion;

/**
 * Intercepts the asynchronous results that Spring MVC processes for a request. A
 * {@link WebAsyncManager} accepts interceptors only on the thread of the request. The
 * delegates of this interceptor may be set by any thread.
 */
final class AsyncResultInterceptor implements CallableProcessingInterceptor, DeferredResultProcessingInterceptor {

	private static final CallableProcessingInterceptor NO_TASKS = new CallableProcessingInterceptor() {
	};

	private static final DeferredResultProcessingInterceptor NOTHING_DEFERRED = new DeferredResultProcessingInterceptor() {
	};

	private final RequestCompletion end;

	private volatile CallableProcessingInterceptor tasks = NO_TASKS;

	private volatile DeferredResultProcessingInterceptor deferred = NOTHING_DEFERRED;

	/**
	 * Creates an interceptor, on the thread of the request.
	 * @param manager the manager that calls the interceptor
	 * @param end is notified of the end of an asynchronous request
	 */
	AsyncResultInterceptor(WebAsyncManager manager, RequestCompletion end) {
		this.end = end;
		manager.registerCallableInterceptor(this, this);
		manager.registerDeferredResultInterceptor(this, this);
	}

	RequestCompletion end() {
		return this.end;
	}

	void interceptTasks(CallableProcessingInterceptor interceptor) {
		this.tasks = interceptor;
	}

	void interceptDeferred(DeferredResultProcessingInterceptor interceptor) {
		this.deferred = interceptor;
	}

	@Override
	public <T> void preProcess(NativeWebRequest request, Callable<T> task) throws Exception {
		this.tasks.preProcess(request, task);
	}

	@Override
	public <T> void postProcess(NativeWebRequest request, Callable<T> task, @Nullable Object result) throws Exception {
		this.tasks.postProcess(request, task, result);
	}

	@Override
	public <T> void postProcess(NativeWebRequest request, DeferredResult<T> deferredResult, @Nullable Object result)
			throws Exception {
		this.deferred.postProcess(request, deferredResult, result);
	}

	@Override
	public <T> void afterCompletion(NativeWebRequest request, Callable<T> task) {
		this.end.reached();
	}

	@Override
	public <T> void afterCompletion(NativeWebRequest request, DeferredResult<T> deferredResult) {
		this.end.reached();
	}

}
