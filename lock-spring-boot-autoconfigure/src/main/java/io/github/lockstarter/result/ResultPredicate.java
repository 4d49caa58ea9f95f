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
	 * Decides on a result. When it throws, the result is not shared, and the one who made
	 * it gets it all the same.
	 * @param lockName the name of the lock
	 * @param result what the method returned, or what its future or {@code Mono} ended
	 * with; a {@link java.util.List} of what a {@code Flux} emitted
	 * @return whether others get it
	 */
	boolean isShared(String lockName, @Nullable Object result);

}
