package io.github.lockstarter.interceptor;

import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.completion.ReactiveTypeAdapter;
import io.github.lockstarter.completion.ReleaseOn;
import io.github.lockstarter.completion.RequestCompletion;
import io.github.lockstarter.completion.ReturnType;
import io.github.lockstarter.key.CurrentRequest;
import io.github.lockstarter.key.SecurityPrincipal;
import io.github.lockstarter.operation.LockedMethod;
import io.github.lockstarter.result.SharedResult;

/**
 * Calls a reactive method for each subscription to its result, once its locks have been
 * granted. No thread is blocked until then.
 */
final class ReactiveCalls {

	private final @Nullable ReactiveRequestSupport requests;

	private final ReleaseOn releaseOn;

	/**
	 * Creates the reactive calls.
	 * @param requests finds the request of a subscriber
	 * @param releaseOn what ends the locks of handlers
	 */
	ReactiveCalls(@Nullable ReactiveRequestSupport requests, ReleaseOn releaseOn) {
		this.requests = requests;
		this.releaseOn = releaseOn;
	}

	/**
	 * Returns a result of the return type of the method, or the publisher that a
	 * suspending function needs.
	 */
	Object callLater(LockedCall call) {
		ReturnType returned = call.returnType();
		if (returned.isSuspending()) {
			Class<?> type = new MethodParameter(returned.method(), -1).getParameterType();
			ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
			return ReactiveTypeAdapter.under(call, acquire(call), adapter != null && adapter.isMultiValue(),
					(leases) -> (Publisher<?>) call.runLater(leases));
		}
		ReactiveAdapter adapter = ReactiveTypeAdapter.adapter(returned.declared());
		return adapter
			.fromPublisher(ReactiveTypeAdapter.under(call, acquire(call), adapter.isMultiValue(), (leases) -> {
				Object result = call.runLater(leases);
				return (result != null) ? adapter.toPublisher(result) : null;
			}));
	}

	/** Returns a placeholder for the entity that a handler returns. */
	Object callLaterForEntity(LockedCall call, ReactiveRequestSupport requests) {
		return requests.deferred(Mono.from(ReactiveTypeAdapter.under(call, acquire(call), false,
				(leases) -> Mono.justOrEmpty(call.runLater(leases)))));
	}

	/**
	 * Acquires the locks of a call for the request in the subscriber's context, or
	 * otherwise for the request of the calling thread. The method may be slow, so it is
	 * not called on a thread of the registry.
	 */
	private Mono<HeldLeases> acquire(LockedCall call) {
		LockedMethod method = call.method();
		RequestHandling handling = call.request();
		RequestCompletion endOfThreads = (handling != null) ? handling.end() : null;
		Mono<LockAcquisition> locksOfThread = locksOfThread(call);
		return Mono.deferContextual((context) -> {
			ReactiveRequestSupport.Request request = (this.requests != null) ? this.requests.find(context) : null;
			RequestCompletion end = (request != null) ? request.end() : endOfThreads;
			boolean handled = end != null && (request == null || request.isHandledBy(method));
			Executor executor = executor(request);
			HandlerResponse response = (request != null) ? (handled ? request : null) : handling;
			if (response != null) {
				response.callAgain();
			}
			Mono<HeldLeases> acquired = ((request != null)
					? request.current(method.readsPrincipal(), handled && method.readsContent())
						.map(call::evaluateLocks)
					: locksOfThread)
				.flatMap((locks) -> ReactiveAcquisition.of(context, () -> locks.acquireAsync(executor,
						ReactiveTypeAdapter.all(context), handled ? this.releaseOn : ReleaseOn.METHOD)))
				.filter((leases) -> {
					if (end != null && handled) {
						end.add(leases);
					}
					if (response != null) {
						leases.result().expectResponse(response);
					}
					return request == null || !handled || !replays(request, leases.result().received());
				});
			return (request != null && end != null && handled) ? acquired.onErrorResume(LockConflictException.class,
					(conflict) -> respond(request, end, conflict, call)) : acquired;
		});
	}

	private static boolean replays(HandlerResponse response, @Nullable SharedResult result) {
		return result != null && response.replay(result);
	}

	/**
	 * Emits nothing if the response has been written. A handler that calls itself while
	 * it holds its lock receives the conflict.
	 */
	private static Mono<HeldLeases> respond(ReactiveRequestSupport.Request request, RequestCompletion end,
			LockConflictException conflict, LockedCall call) {
		Mono<Void> responded = !end.hasLeases() ? request.respond(conflict, call) : null;
		return (responded != null) ? responded.then(Mono.empty()) : Mono.error(conflict);
	}

	/**
	 * Returns the executor for the continuation: the event loop of the request, or
	 * threads that may be blocked only if this thread may.
	 */
	private static Executor executor(ReactiveRequestSupport.@Nullable Request request) {
		Executor eventLoop = (request != null) ? request.eventLoop() : null;
		return (eventLoop != null) ? eventLoop : ReactiveAcquisition.executor();
	}

	/** Read now, because a servlet request cannot be read after its end. */
	private static Mono<LockAcquisition> locksOfThread(LockedCall call) {
		if (!call.isInRequest()) {
			return call.method().readsPrincipal() ? locksOfPrincipal(call) : Mono.fromSupplier(call::evaluateLocks);
		}
		try {
			return Mono.just(call.evaluateLocks());
		}
		catch (RuntimeException ex) {
			return Mono.error(ex);
		}
	}

	/**
	 * The principal of this thread is read now, because a subscriber may have another.
	 */
	private static Mono<LockAcquisition> locksOfPrincipal(LockedCall call) {
		CurrentRequest ofThread = CurrentRequest.none(SecurityPrincipal.ofThread());
		return SecurityPrincipal.ofSubscriber()
			.map(CurrentRequest::none)
			.defaultIfEmpty(ofThread)
			.map(call::evaluateLocks);
	}

}
