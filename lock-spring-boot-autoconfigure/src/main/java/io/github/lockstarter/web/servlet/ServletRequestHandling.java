package io.github.lockstarter.web.servlet;

import java.lang.reflect.UndeclaredThrowableException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.Supplier;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncManager;
import org.springframework.web.context.request.async.WebAsyncUtils;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

import io.github.lockstarter.completion.CallingThread;
import io.github.lockstarter.completion.CompletionStageAdapter;
import io.github.lockstarter.completion.RequestCompletion;
import io.github.lockstarter.completion.GuardedCall;
import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.interceptor.LockAcquisition;
import io.github.lockstarter.interceptor.LockedCall;
import io.github.lockstarter.interceptor.RequestHandling;
import io.github.lockstarter.operation.LockedMethod;
import io.github.lockstarter.result.SharedResult;
import io.github.lockstarter.result.SharedResult.Response;
import io.github.lockstarter.web.ReplayedHeader;

/**
 * The handling of a request by Spring MVC, for calls of its handler on its thread.
 */
final class ServletRequestHandling implements RequestHandling {

	/** The name of the attribute with the handlers that may wait without a thread. */
	static final String SUSPENDABLE = Suspendable.class.getName();

	/**
	 * The name of the attribute that marks the response as replayed, until the request is
	 * dispatched.
	 */
	static final String REPLAYED = ServletRequestHandling.class.getName() + ".replayed";

	/** The name of the attribute with the leases of the handler. */
	static final String LEASES = ServletRequestHandling.class.getName() + ".leases";

	/**
	 * Longer than a store needs to grant a free lock. The registry notifies the thread
	 * earlier if the lock is held, but one of the application may not. The time is so
	 * short that other requests are hardly delayed if all threads of a container wait
	 * that long.
	 */
	private static final Duration MAX_BLOCKING_WAIT = Duration.ofMillis(50);

	private final HttpServletRequest request;

	private final @Nullable HttpServletResponse response;

	private final Supplier<RequestMappingHandlerAdapter> adapter;

	private @Nullable AsyncResultInterceptor results;

	/**
	 * Creates the handling of a request.
	 * @param adapter calls the handlers
	 */
	ServletRequestHandling(HttpServletRequest request, @Nullable HttpServletResponse response,
			Supplier<RequestMappingHandlerAdapter> adapter) {
		this.request = request;
		this.response = response;
		this.adapter = adapter;
	}

	/**
	 * Returns the interceptor of asynchronous results. The first call has to be on the
	 * thread of the request.
	 */
	private AsyncResultInterceptor results() {
		if (this.results == null) {
			this.results = new AsyncResultInterceptor(asyncManager(), endOfRequest());
		}
		return this.results;
	}

	@Override
	public RequestCompletion end() {
		return results().end();
	}

	@Override
	public void callUnder(HeldLeases leases) {
		if (!leases.leases().isEmpty()) {
			this.request.setAttribute(LEASES, leases);
		}
	}

	@Override
	public void releaseAtEnd(HeldLeases leases) {
		end().add(leases);
	}

	@Override
	public void followTask(GuardedCall call, HeldLeases leases) {
		results().interceptTasks(new TaskInterceptor(this, call, leases));
	}

	@Override
	public void followDeferred(GuardedCall call, HeldLeases leases) {
		results().interceptDeferred(new DeferredInterceptor(this, call, leases));
	}

	@Override
	public @Nullable HeldLeases takeResumed(LockedMethod method) {
		return ResumedHandler.take(method);
	}

	@Override
	public HeldLeases acquire(LockedCall call, LockAcquisition locks) throws Exception {
		EarlyLeases early = EarlyLeases.take(this.request, call.method());
		if (early != null) {
			if (early.locks().isFor(locks)) {
				KeptModel.forget(this.request);
				return early.leases();
			}
			// Code of the application has changed what the locks depend on.
			locks.replace(early.locks(), early.leases());
		}
		HeldLeases leases = (locks.mayWait() && canSuspend(call.method()) && keepsModel(call.method())
				&& !call.isRetried()) ? acquireOrSuspend(call, locks) : locks.acquire();
		// The model is only for the call of the handler, and not for nested calls.
		KeptModel.forget(this.request);
		return leases;
	}

	/**
	 * Acquires the locks of the handler before its arguments are resolved, on this
	 * thread, or suspends the request until they are granted.
	 * @throws Exception a {@link io.github.lockstarter.LockException} if a lock is not
	 * granted, or the exception that suspends the request
	 */
	HeldLeases acquire(LockAcquisition locks, HttpServletResponse response) throws Exception {
		if (!locks.mayWait() || !canSuspend(locks.method())) {
			return locks.acquire();
		}
		// Spring MVC sets it only before it calls a handler.
		asyncManager().setAsyncWebRequest(WebAsyncUtils.createAsyncWebRequest(this.request, response));
		return acquireOrSuspend(locks, (leases) -> new EarlyLockInterceptor.GrantedRequest(locks, leases),
				EarlyLockInterceptor.FailedRequest::new, new ModelAndViewContainer());
	}

	private RequestCompletion endOfRequest() {
		if (this.request.getAttribute(RequestCompletion.ATTRIBUTE) instanceof RequestCompletion end) {
			return end;
		}
		RequestCompletion end = new RequestCompletion();
		this.request.setAttribute(RequestCompletion.ATTRIBUTE, end);
		return end;
	}

	private WebAsyncManager asyncManager() {
		return WebAsyncUtils.getAsyncManager(this.request);
	}

	/** The response to an included handler is only a part of that to the request. */
	@Override
	public boolean notifiesOfResponse() {
		RecordedServletResponse recorded = RecordedServletResponse.of(this.request);
		if (recorded == null || this.request.getDispatcherType() == DispatcherType.INCLUDE) {
			return false;
		}
		recorded.handledFor(this.request);
		return true;
	}

	@Override
	public void callAgain() {
		// The handler of an enclosing dispatch is not called again.
		if (!Dispatches.isNested(this.request)
				&& this.request.getAttribute(RequestCompletion.ATTRIBUTE) instanceof RequestCompletion end) {
			end.giveUpResponses();
		}
	}

	@Override
	public List<HeldLeases> enclosing() {
		return Dispatches.enclosing(this.request);
	}

	@Override
	public @Nullable Response make(@Nullable Object value) {
		RecordedServletResponse recorded = RecordedServletResponse.of(this.request);
		HandlerMethod handler = handler();
		if (recorded == null || recorded.isWritten() || handler == null || this.response == null) {
			return null;
		}
		try {
			Response made = UnsentServletResponse.make(this.adapter.get(), handler, value,
					new ServletWebRequest(this.request, this.response), recorded);
			return recorded.isForOneClient() ? null : made;
		}
		catch (HttpMediaTypeNotAcceptableException ex) {
			// The work is done, as without a transaction, and Spring MVC responds.
			return null;
		}
		catch (RuntimeException ex) {
			throw ex;
		}
		catch (Exception ex) {
			throw new UndeclaredThrowableException(ex);
		}
	}

	private @Nullable HandlerMethod handler() {
		return (HandlerMethod) this.request.getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE);
	}

	/**
	 * Spring MVC sets the status of {@code @ResponseStatus} after the handler has
	 * returned. On other threads, the response may be that to a timeout.
	 */
	@Override
	public @Nullable Integer status() {
		try {
			HttpServletResponse response = response();
			HandlerMethod handler = (response != null) ? handler() : null;
			ResponseStatus annotation = (handler != null) ? UnsentServletResponse.status(handler) : null;
			if (annotation != null) {
				return annotation.code().value();
			}
			return (response != null && response.getStatus() != HttpServletResponse.SC_OK) ? response.getStatus()
					: null;
		}
		catch (IllegalStateException ex) {
			// The request has timed out, and the container has recycled it.
			return null;
		}
	}

	/**
	 * Marks the response at once on the thread of the request, otherwise when the request
	 * is dispatched with the value. A complete response is thrown as an exception, which
	 * is handled later.
	 */
	@Override
	public boolean replay(SharedResult result) {
		if (result instanceof SharedResult.Value) {
			HttpServletResponse response = response();
			if (response != null) {
				response.setHeader(ReplayedHeader.NAME, ReplayedHeader.VALUE);
			}
			else {
				this.request.setAttribute(REPLAYED, true);
			}
		}
		return false;
	}

	/** Returns the response, on the thread of the request. */
	private @Nullable HttpServletResponse response() {
		return (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes
				&& attributes.getRequest() == this.request) ? attributes.getResponse() : null;
	}

	/**
	 * Returns whether the request may wait without a thread: if Spring MVC can resume it,
	 * and filters do not end the response of a plain handler before. The suspension needs
	 * an exception, which a retry outside of the lock would treat as a failure of the
	 * method.
	 */
	private boolean canSuspend(LockedMethod method) {
		return this.request.isAsyncSupported()
				&& this.request.getAttribute(SUSPENDABLE) instanceof Suspendable suspendable
				&& (method.returnType().adapter() != null
						|| (suspendable == Suspendable.ALL && ResponseWrappers.allowDispatches(this.response)));
	}

	/** Returns whether the call of a plain handler finds its model again. */
	private boolean keepsModel(LockedMethod method) {
		return method.returnType().adapter() != null || KeptModel.of(this.request) != null || method.writesBody();
	}

	/**
	 * Acquires the locks, or suspends the request until they are granted. The request is
	 * then dispatched again, and {@link ResumedHandler.ResumingHandler} calls the
	 * handler: on a thread of the container, with everything that Spring MVC and filters
	 * have set up for it.
	 * <p>
	 * If the locks are free, the handler is called at once. The thread waits for the
	 * answer of the store, which needs no other thread. It does not wait for other
	 * requests, which may need this thread to release their locks.
	 * @throws HandlerWaitsException if the request waits
	 * @throws io.github.lockstarter.LockException if a lock is not granted
	 */
	private HeldLeases acquireOrSuspend(LockedCall call, LockAcquisition locks) throws Exception {
		ModelAndViewContainer prepared = KeptModel.of(this.request);
		ModelAndViewContainer container = (prepared != null) ? prepared : new ModelAndViewContainer();
		boolean handled = container.isRequestHandled();
		return acquireOrSuspend(locks, (leases) -> new ResumedHandler(call, leases, handled), (failure) -> failure,
				container);
	}

	/**
	 * Acquires locks, or suspends the request until they are granted.
	 * @param resumption returns the result with which the request is dispatched again
	 * @param failed returns the one for a failure; an exception is thrown by Spring MVC
	 */
	private HeldLeases acquireOrSuspend(LockAcquisition locks, Function<HeldLeases, Object> resumption,
			Function<Exception, Object> failed, ModelAndViewContainer container) throws Exception {
		if (!asyncManager().isConcurrentHandlingStarted()) {
			CallingThread thread = new CallingThread();
			CompletableFuture<HeldLeases> attempt = locks.acquireAsync(thread);
			if (thread.await(attempt, MAX_BLOCKING_WAIT)) {
				return result(attempt);
			}
			suspend(attempt, resumption, failed, container);
		}
		throw new HandlerWaitsException(locks.method());
	}

	private static HeldLeases result(CompletableFuture<HeldLeases> attempt) {
		try {
			return attempt.join();
		}
		catch (CompletionException ex) {
			throw (ex.getCause() instanceof RuntimeException cause) ? cause : ex;
		}
	}

	private void suspend(CompletableFuture<HeldLeases> attempt, Function<HeldLeases, Object> resumption,
			Function<Exception, Object> failed, ModelAndViewContainer container) throws Exception {
		RequestCompletion end = end();
		CallerSecurity.keep(this.request);
		if (this.response != null) {
			FilterHeaders.keep(this.request, this.response);
		}
		// It has no timeout of its own: the wait time of the locks ends it.
		DeferredResult<Object> suspended = new DeferredResult<>(0L);
		suspended.onCompletion(() -> attempt.cancel(false));
		try {
			asyncManager().startDeferredResultProcessing(suspended, container);
		}
		catch (Exception ex) {
			attempt.cancel(false);
			throw ex;
		}
		attempt.whenComplete((leases, failure) -> {
			Throwable cause = CompletionStageAdapter.cause(failure);
			if (cause != null) {
				suspended.setResult((cause instanceof Exception ex) ? failed.apply(ex) : cause);
			}
			else {
				end.add(leases);
				suspended.setResult(resumption.apply(leases));
			}
		});
	}

	/** The handlers that Spring MVC can suspend. */
	enum Suspendable {

		/** Handlers whose result is asynchronous. */
		ASYNCHRONOUS,

		ALL

	}

}
