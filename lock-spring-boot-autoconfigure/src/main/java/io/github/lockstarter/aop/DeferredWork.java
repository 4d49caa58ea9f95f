package io.github.lockstarter.aop;

import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.DeferredResultProcessingInterceptor;

/**
 * What the application completes at some time, and Spring MVC waits for: a
 * {@link DeferredResult}, a {@code ResponseBodyEmitter} or {@code SseEmitter}. Its work
 * ends when it is completed, by whomever, a time-out included.
 */
final class DeferredWork extends ServletWork {

	DeferredWork() {
		super(DEFERRED);
	}

	@Override
	public Object guard(LockedCall call, Object result, Holding holding) {
		follow(call, holding);
		return result;
	}

	/** Lets the holding end with what Spring MVC waits for next. */
	static void follow(LockedCall call, Holding holding) {
		call.servletHandling().asyncHandling().interceptDeferred(new DeferredResultProcessingInterceptor() {

			@Override
			public <T> void postProcess(NativeWebRequest request, DeferredResult<T> deferred, @Nullable Object value) {
				Works.passOnAsIs(call, value, holding);
				// Whoever completes it must not wait for the store.
				holding.end();
			}

		});
	}

}
