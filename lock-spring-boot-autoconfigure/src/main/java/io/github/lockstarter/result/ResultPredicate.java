package io.github.lockstarter.result;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatusCode;

/**
 * Decides which results are shared and replayed. A bean of this type replaces the
 * {@linkplain #SUCCESSFUL default}. If the annotation of a method selects the responses
 * to keep, the predicate is called only for failures.
 */
@FunctionalInterface
public interface ResultPredicate {

	/**
	 * The default: results are shared if their status is 2xx or a redirect.
	 */
	ResultPredicate SUCCESSFUL = (lockName, result, status) -> status.is2xxSuccessful()
			|| (status.is3xxRedirection() && status.value() != 304);

	/**
	 * Decides whether a result is shared. If this method throws an exception, the result
	 * is not shared; its own caller still receives it.
	 * @param lockName the name of the lock
	 * @param result the return value of the method, or the value of its future or
	 * {@code Mono}; a {@link java.util.List} of the values that a {@code Flux} emitted;
	 * {@code null} for a redirect to a view
	 * @param status the status of the response if the method has set one; otherwise 200
	 * @return whether other callers receive the result
	 */
	boolean isShared(String lockName, @Nullable Object result, HttpStatusCode status);

	/**
	 * Decides whether the response to a failure may be kept, if the replay of the method
	 * keeps responses to failures. By default it may. An implementation can exclude
	 * failures without an effect, so that the next duplicate runs.
	 * @param lockName the name of the lock
	 * @param failure the exception
	 * @return whether the response may be kept
	 */
	default boolean mayKeep(String lockName, Throwable failure) {
		return true;
	}

}
