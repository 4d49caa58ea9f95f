package io.github.lockstarter.web.servlet;

import io.github.lockstarter.operation.LockedMethod;

/**
 * Suspends a request that waits for its locks without a thread, before its handler is
 * called. It is never the response to a request.
 */
final class HandlerWaitsException extends RuntimeException {

	HandlerWaitsException(LockedMethod method) {
		super("%s waits for its lock, and is called when the lock is granted"
			.formatted(method.method().toGenericString()), null, false, false);
	}

}
