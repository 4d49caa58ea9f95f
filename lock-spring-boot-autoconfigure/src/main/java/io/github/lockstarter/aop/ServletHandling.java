package io.github.lockstarter.aop;

import java.util.concurrent.CompletableFuture;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncManager;
import org.springframework.web.context.request.async.WebAsyncUtils;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.HandlerMapping;

/**
 * The handling of a request by Spring MVC, for calls of its handler on its thread.
 */
final class ServletHandling {

	private final HttpServletRequest request;

	private @Nullable AsyncHandling asyncHandling;

	private ServletHandling(HttpServletRequest request) {
		this.request = request;
	}

	/** Returns the handling that the method is called for, if it is. */
	static @Nullable ServletHandling of(LockedMethod method) {
		return (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes && method
			.isHandler(attributes.getRequest().getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE)))
					? new ServletHandling(attributes.getRequest()) : null;
	}

	/**
	 * Returns what Spring MVC does after the call. To be called on the thread of the
	 * request first.
	 */
	AsyncHandling asyncHandling() {
		if (this.asyncHandling == null) {
			this.asyncHandling = new AsyncHandling(asyncManager(), endOfRequest());
		}
		return this.asyncHandling;
	}

	private EndOfRequest endOfRequest() {
		if (this.request.getAttribute(EndOfRequest.ATTRIBUTE) instanceof EndOfRequest end) {
			return end;
		}
		EndOfRequest end = new EndOfRequest();
		this.request.setAttribute(EndOfRequest.ATTRIBUTE, end);
		return end;
	}

	private WebAsyncManager asyncManager() {
		return WebAsyncUtils.getAsyncManager(this.request);
	}

	/**
	 * Tells the client that it gets the result of another call: at once on the thread of
	 * the request, otherwise when the request is dispatched with the result.
	 */
	void tellReplayed() {
		if (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes
				&& attributes.getRequest() == this.request && attributes.getResponse() != null) {
			attributes.getResponse().setHeader(Holding.REPLAYED, "true");
		}
		else {
			this.request.setAttribute(Holding.REPLAYED_ATTRIBUTE, "true");
		}
	}

	/** Returns whether the request may wait without a thread. */
	boolean canSuspend() {
		return this.request.isAsyncSupported();
	}

	/**
	 * Lets the request wait for the locks without a thread. It is dispatched again when
	 * they are granted, and {@link Resumption.Handler} calls the handler there: on a
	 * thread of the container, with all that Spring MVC and filters have set up for it.
	 * @return the exception that ends this call
	 */
	HandlerWaitsException suspend(LockedCall call, boolean untilResponse) throws Exception {
		if (!asyncManager().isConcurrentHandlingStarted()) {
			start(call.acquireAsync(untilResponse), call);
		}
		return new HandlerWaitsException(call.method());
	}

	private void start(CompletableFuture<Holding> attempt, LockedCall call) throws Exception {
		EndOfRequest end = asyncHandling().end();
		// It waits as long as the locks may be waited for.
		DeferredResult<Object> suspended = new DeferredResult<>(0L);
		suspended.onCompletion(() -> attempt.cancel(false));
		try {
			asyncManager().startDeferredResultProcessing(suspended, new ModelAndViewContainer());
		}
		catch (Exception ex) {
			attempt.cancel(false);
			throw ex;
		}
		attempt.whenComplete((holding, failure) -> {
			if (failure != null) {
				suspended.setErrorResult(failure);
			}
			else {
				end.add(holding);
				suspended.setResult(new Resumption(call, holding));
			}
		});
	}

}
