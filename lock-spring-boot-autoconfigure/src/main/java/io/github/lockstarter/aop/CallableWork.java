package io.github.lockstarter.aop;

import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;

import org.jspecify.annotations.Nullable;

import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.async.CallableProcessingInterceptor;

/**
 * A task that Spring MVC runs on another thread: a {@link Callable}, a
 * {@code WebAsyncTask} or a {@code StreamingResponseBody}. Its work ends when the task
 * does, even if the request has timed out before; or with the request, if the task has
 * not begun by then, and then it never begins.
 */
final class CallableWork extends ServletWork {

	CallableWork() {
		super(TASKS);
	}

	@Override
	public Object guard(LockedCall call, Object result, Holding holding) {
		call.servletHandling().asyncHandling().interceptTasks(new Task(call, holding));
		return result;
	}

	/** The task of the request; there is a second where the first returns one. */
	private record Task(LockedCall call, Holding holding) implements CallableProcessingInterceptor {

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
			Works.passOnAsIs(this.call, result, this.holding);
			this.holding.close();
		}

	}

}
