package io.github.lockstarter.web.servlet;

import io.github.lockstarter.operation.LockedMethod;

/**
 * The request waits for its locks without a thread, and its handler has not been called.
 * Spring MVC never answers with it.
 */
final class HandlerWaitsException extends RuntimeException {

	HandlerWaitsException(LockedMethod method) {
		super("%s waits for its lock, and is called again when it has it".formatted(method.method().toGenericString()),
				null, false, false);
	}

}
