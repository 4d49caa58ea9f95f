package io.github.lockstarter.aop;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

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

	/** The name of the attribute that tells which handlers may wait without a thread. */
	static final String SUSPENDABLE = Suspendable.class.getName();

	/**
	 * Longer than a store takes to grant a free lock. All threads of a container that
	 * wait that long for a lock that is not free must not keep others waiting much
	 * longer.
	 */
	private static final Duration SOON = Duration.ofMillis(50);

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

	/**
	 * Returns whether the request may wait without a thread: if Spring MVC lets it go on
	 * here, and a plain handler finds its model then.
	 */
	boolean canSuspend(LockedMethod method) {
		return this.request.isAsyncSupported()
				&& this.request.getAttribute(SUSPENDABLE) instanceof Suspendable suspendable
				&& (method.work() != null || (suspendable == Suspendable.ALL
						&& (PreparedModel.of(this.request) != null || method.writesBody())));
	}

	/**
	 * Acquires the locks, or lets the request wait for them without a thread. It is
	 * dispatched again when they are granted, and {@link Resumption.Handler} calls the
	 * handler there: on a thread of the container, with all that Spring MVC and filters
	 * have set up for it.
	 * <p>
	 * A plain handler is called at once where nobody holds the locks: its thread waits
	 * for the answer of the store, which needs no other thread, but not for other
	 * requests, which may need the thread to be through with the lock.
	 * @throws HandlerWaitsException if the request waits
	 * @throws io.github.lockstarter.LockException if a lock is not granted
	 */
	Holding acquireOrSuspend(LockedCall call, Claims claims, boolean untilResponse) throws Exception {
		if (!asyncManager().isConcurrentHandlingStarted()) {
			boolean plain = call.method().work() == null;
			WaitingThread thread = new WaitingThread();
			CompletableFuture<Holding> attempt = call.acquireAsync(claims, untilResponse, plain ? thread : null);
			if (plain && thread.await(attempt, SOON)) {
				return result(attempt);
			}
			suspend(attempt, call);
		}
		throw new HandlerWaitsException(call.method());
	}

	private static Holding result(CompletableFuture<Holding> attempt) {
		try {
			return attempt.join();
		}
		catch (CompletionException ex) {
			throw (ex.getCause() instanceof RuntimeException cause) ? cause : ex;
		}
	}

	private void suspend(CompletableFuture<Holding> attempt, LockedCall call) throws Exception {
		EndOfRequest end = asyncHandling().end();
		ModelAndViewContainer prepared = PreparedModel.of(this.request);
		ModelAndViewContainer container = (prepared != null) ? prepared : new ModelAndViewContainer();
		boolean handled = container.isRequestHandled();
		// It waits as long as the locks may be waited for.
		DeferredResult<Object> suspended = new DeferredResult<>(0L);
		suspended.onCompletion(() -> attempt.cancel(false));
		try {
			asyncManager().startDeferredResultProcessing(suspended, container);
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
				suspended.setResult(new Resumption(call, holding, handled));
			}
		});
	}

	/** Which handlers Spring MVC can let wait without a thread. */
	enum Suspendable {

		/** Those whose result is asynchronous anyway. */
		ASYNCHRONOUS,

		ALL

	}

}
