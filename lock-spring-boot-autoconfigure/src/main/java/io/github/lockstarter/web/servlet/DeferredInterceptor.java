package io.github.lockstarter.web.servlet;

import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.DeferredResultProcessingInterceptor;

import io.github.lockstarter.completion.CompletionAdapterRegistry;
import io.github.lockstarter.completion.GuardedCall;
import io.github.lockstarter.completion.HandledRequest;
import io.github.lockstarter.completion.HeldLeases;

/**
 * Releases the leases of a request when the deferred result that Spring MVC waits for has
 * been completed.
 */
record DeferredInterceptor(HandledRequest handled, GuardedCall call,
		HeldLeases leases) implements DeferredResultProcessingInterceptor {

	@Override
	public <T> void postProcess(NativeWebRequest request, DeferredResult<T> deferred, @Nullable Object value) {
		CompletionAdapterRegistry.passOnAsIs(this.call, this.handled, value, this.leases);
		// The thread that completes the result must not wait for the store.
		this.leases.end();
	}

}
