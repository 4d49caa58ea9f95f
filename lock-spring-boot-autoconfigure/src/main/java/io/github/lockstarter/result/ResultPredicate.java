package io.github.lockstarter.result;

import org.jspecify.annotations.Nullable;

import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponse;

/**
 * Decides which results are shared and replayed. A bean of this type replaces the
 * {@linkplain #SUCCESSFUL default}. An exception is never shared, whatever a predicate
 * says.
 */
@FunctionalInterface
public interface ResultPredicate {

	/**
	 * All results are shared, except for a {@link ResponseEntity} without a 2xx status, a
	 * {@link ProblemDetail} and an {@link ErrorResponse}.
	 */
	ResultPredicate SUCCESSFUL = (lockName,
			result) -> !(result instanceof ProblemDetail || result instanceof ErrorResponse
					|| (result instanceof ResponseEntity<?> entity && !entity.getStatusCode().is2xxSuccessful()));

	/**
	 * Decides on a result. If this throws, the result is not shared; its own caller gets
	 * it all the same.
	 * @param lockName the name of the lock
	 * @param result the return value of the method, or the value of its future or
	 * {@code Mono}; a {@link java.util.List} of the values that a {@code Flux} emitted
	 * @return whether other callers get it
	 */
	boolean isShared(String lockName, @Nullable Object result);

}
