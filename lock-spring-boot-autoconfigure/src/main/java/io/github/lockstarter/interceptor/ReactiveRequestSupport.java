package io.github.lockstarter.interceptor;

import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.completion.RequestCompletion;
import io.github.lockstarter.key.CurrentRequest;
import io.github.lockstarter.operation.LockedMethod;

/**
 * The extension point for a web framework that keeps a request in the Reactor context.
 */
public interface ReactiveRequestSupport {

	/** Returns the request in the context of a subscriber, if there is one. */
	@Nullable Request find(ContextView context);

	/**
	 * Returns the placeholder for the entity of a handler that is called later.
	 * @param entity acquires the locks, calls the handler and emits its entity
	 */
	Object deferred(Mono<?> entity);

	/**
	 * A request that is in the Reactor context.
	 */
	interface Request extends HandlerResponse {

		/**
		 * Emits the parts of the request that the locks of a call depend on.
		 * @param withPrincipal whether the principal is read, which may have to be loaded
		 * @param withContent whether the body is read
		 */
		Mono<CurrentRequest> current(boolean withPrincipal, boolean withContent);

		/**
		 * Returns the object that is notified of the end of the request; {@code null} if
		 * there is no notification.
		 */
		@Nullable RequestCompletion end();

		/** Returns whether the method is the handler of the request. */
		boolean isHandledBy(LockedMethod method);

		/**
		 * Returns the event loop of the request's connection, if this thread belongs to
		 * it.
		 */
		@Nullable Executor eventLoop();

		/**
		 * Responds to the request with a conflict, because its lock is held.
		 * @param call the call of its handler
		 * @return completes when the response has been written; {@code null} if the
		 * conflict has to be emitted as an error signal
		 */
		@Nullable Mono<Void> respond(LockConflictException conflict, LockedCall call);

	}

}
