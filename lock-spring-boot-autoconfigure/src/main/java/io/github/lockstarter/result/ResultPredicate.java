package io.github.lockstarter.result;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatusCode;

/**
 * Decides which results are shared and replayed. A bean of this type replaces the
 * {@linkplain #SUCCESSFUL default}. A method that says itself which answers its replay
 * keeps is asked only about failures.
 */
@FunctionalInterface
public interface ResultPredicate {

	/**
	 * Results are shared if their status is 2xx or a redirect.
	 */
	ResultPredicate SUCCESSFUL = (lockName, result, status) -> status.is2xxSuccessful()
			|| (status.is3xxRedirection() && status.value() != 304);

	/**
	 * Decides on a result. If this throws, the result is not shared; its own caller gets
	 * it all the same.
	 * @param lockName the name of the lock
	 * @param result the return value of the method, or the value of its future or
	 * {@code Mono}; a {@link java.util.List} of the values that a {@code Flux} emitted;
	 * {@code null} for a redirect to a view
	 * @param status the status of the answer, as far as the method has set one; otherwise
	 * 200
	 * @return whether other callers get it
	 */
	boolean isShared(String lockName, @Nullable Object result, HttpStatusCode status);

	/**
	 * Decides whether the answer to a failure may be kept, where the replay of a method
	 * keeps answers to failures. By default it may. A failure that has left no effect can
	 * be exempted: the next duplicate runs then.
	 * @param lockName the name of the lock
	 * @param failure the exception
	 */
	default boolean mayKeep(String lockName, Throwable failure) {
		return true;
	}

}
