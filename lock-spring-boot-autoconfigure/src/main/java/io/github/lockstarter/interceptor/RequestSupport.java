package io.github.lockstarter.interceptor;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.key.CurrentRequest;
import io.github.lockstarter.operation.LockedMethod;

/**
 * The extension point for a web framework that binds a request to its thread.
 */
public interface RequestSupport {

	/** The support without a web framework. */
	RequestSupport NONE = () -> CurrentRequest.NONE;

	/** Returns the request of this thread. */
	CurrentRequest currentRequest();

	/**
	 * Returns the leases under which the handler of the request of this thread was
	 * called; {@code null} if there are none.
	 */
	default @Nullable HeldLeases leases() {
		return null;
	}

	/**
	 * Returns the handling of the request of this thread, if the method is called as its
	 * handler.
	 */
	default @Nullable RequestHandling handling(LockedMethod method) {
		return null;
	}

}
