package io.github.lockstarter.interceptor;

import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.completion.EndOfRequest;
import io.github.lockstarter.key.CurrentRequest;
import io.github.lockstarter.operation.LockedMethod;

/**
 * What a web framework that keeps a request in the Reactor context adds to calls of
 * annotated methods.
 */
public interface ReactiveRequestSupport {

	/** Returns the request that a subscriber works for, if it does. */
	@Nullable Request find(ContextView context);

	/**
	 * Returns what stands in for the entity of a handler until it has been called.
	 * @param entity acquires the locks, calls the handler and emits its entity
	 */
	Object deferred(Mono<?> entity);

	/**
	 * A request.
	 */
	interface Request {

		/**
		 * Emits the request, as far as keys may look at it.
		 * @param withPrincipal whether they look at who calls, which may have to be
		 * loaded
		 */
		Mono<CurrentRequest> current(boolean withPrincipal);

		/** Returns what will tell the end of the request, if anybody does. */
		@Nullable EndOfRequest end();

		/** Returns whether the method is the handler of the request. */
		boolean isHandledBy(LockedMethod method);

		/**
		 * Returns the event loop of the request's connection, if this thread is the one
		 * of the event loop.
		 */
		@Nullable Executor eventLoop();

		/**
		 * Answers the request, whose lock is held elsewhere.
		 * @param call the call of its handler
		 * @return completes when the response has been written; {@code null} if the
		 * conflict has to be an error signal
		 */
		@Nullable Mono<Void> answer(LockConflictException conflict, LockedCall call);

		/** Tells the client that it gets the result of another call. */
		void tellReplayed();

	}

}
