package io.github.lockstarter.completion;

import java.util.List;
import java.util.stream.Stream;

import org.springframework.util.ClassUtils;

/**
 * A kind of result that only Spring MVC works on, and only for handlers. It is left as it
 * is, and Spring MVC tells when its work has ended.
 */
final class HandlerResultAdapter implements CompletionAdapter {

	/** What Spring MVC runs as a task. */
	static final List<String> TASKS = List.of("java.util.concurrent.Callable",
			"org.springframework.web.context.request.async.WebAsyncTask",
			"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

	/** What the application completes. */
	static final List<String> DEFERRED = List.of("org.springframework.web.context.request.async.DeferredResult",
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter");

	private final Class<?>[] types;

	private final Follower follower;

	private HandlerResultAdapter(List<String> types, Follower follower) {
		ClassLoader classLoader = HandlerResultAdapter.class.getClassLoader();
		this.types = types.stream()
			.filter((name) -> ClassUtils.isPresent(name, classLoader))
			.map((name) -> ClassUtils.resolveClassName(name, classLoader))
			.toArray(Class<?>[]::new);
		this.follower = follower;
	}

	/**
	 * Returns the kind that Spring MVC runs on another thread. Its work ends when the
	 * task does, even if the request has timed out before; or with the request, if the
	 * task has not begun by then, and then it never begins.
	 */
	static HandlerResultAdapter ofTasks() {
		return new HandlerResultAdapter(TASKS, HandledRequest::followTask);
	}

	/**
	 * Returns the kind that the application completes at some time, and Spring MVC waits
	 * for. Its work ends when it is completed, by whomever, a time-out included.
	 */
	static HandlerResultAdapter ofDeferred() {
		return new HandlerResultAdapter(DEFERRED, HandledRequest::followDeferred);
	}

	@Override
	public boolean supports(Class<?> type) {
		return Stream.of(this.types).anyMatch((each) -> each.isAssignableFrom(type));
	}

	@Override
	public Object guard(GuardedCall call, Object result, HeldLeases leases) {
		HandledRequest request = call.request();
		if (request == null) {
			throw CompletionAdapterRegistry.unsupported(call.returnType(),
					"it returned what only Spring MVC can work on, but was not called by Spring MVC");
		}
		this.follower.follow(request, call, leases);
		return result;
	}

	private interface Follower {

		void follow(HandledRequest request, GuardedCall call, HeldLeases leases);

	}

}
