package io.github.lockstarter.completion;

import java.util.List;
import java.util.stream.Stream;

import org.springframework.util.ClassUtils;

/**
 * Adapts a kind of result that only Spring MVC processes, and only for handlers. The
 * result is not replaced, and Spring MVC notifies of the end of its work.
 */
final class HandlerResultAdapter implements CompletionAdapter {

	/** Types that Spring MVC runs as a task. */
	static final List<String> TASKS = List.of("java.util.concurrent.Callable",
			"org.springframework.web.context.request.async.WebAsyncTask",
			"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

	/** Types that the application completes. */
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
	 * Returns the adapter for tasks that Spring MVC runs on another thread. The work ends
	 * with the task, even if the request has timed out before. If the task has not begun
	 * by the end of the request, it never begins, and the work ends with the request.
	 */
	static HandlerResultAdapter ofTasks() {
		return new HandlerResultAdapter(TASKS, HandledRequest::followTask);
	}

	/**
	 * Returns the adapter for results that the application completes while Spring MVC
	 * waits. The work ends with the completion, by the application or by a timeout.
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
					"it returned a result that only Spring MVC can process, but was not called by Spring MVC");
		}
		this.follower.follow(request, call, leases);
		return result;
	}

	private interface Follower {

		void follow(HandledRequest request, GuardedCall call, HeldLeases leases);

	}

}
