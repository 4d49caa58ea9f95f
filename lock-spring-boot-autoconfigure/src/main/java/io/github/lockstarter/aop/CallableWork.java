package io.github.lockstarter.aop;

import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.async.CallableProcessingInterceptor;

/**
 * A task that Spring MVC runs on another thread: a {@link Callable}, a
 * {@code WebAsyncTask} or a {@code StreamingResponseBody}. Its work ends when the task
 * does, even if the request has timed out before; or with the request, if the task has
 * not begun by then, and then it never begins.
 */
final class CallableWork implements Work {

	private final Class<?>[] types = Works.present(
			Stream.of("java.util.concurrent.Callable", "org.springframework.web.context.request.async.WebAsyncTask",
					"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody"));

	@Override
	public boolean supports(Class<?> type) {
		return Stream.of(this.types).anyMatch((each) -> each.isAssignableFrom(type));
	}

	@Override
	public boolean needsServletHandler() {
		return true;
	}

	@Override
	public Object guard(LockedCall call, Object result, Holding holding) {
		call.servletHandling().asyncManager().registerCallableInterceptor(holding, new Task(holding));
		return result;
	}

	/** The one task of the request. */
	private record Task(Holding holding) implements CallableProcessingInterceptor {

		@Override
		public <T> void preProcess(NativeWebRequest request, Callable<T> task) {
			if (!this.holding.begin()) {
				throw new CancellationException("The request ended before the task began");
			}
			CurrentLeases.push(this.holding);
		}

		@Override
		public <T> void postProcess(NativeWebRequest request, Callable<T> task, @Nullable Object result) {
			CurrentLeases.pop();
			this.holding.close();
		}

	}

}
