package io.github.lockstarter.web.grpc;

import java.time.Duration;

import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusException;
import org.jspecify.annotations.Nullable;

import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.grpc.server.exception.GrpcExceptionHandler;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;

import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockConflictException.Reason;
import io.github.lockstarter.LockException;
import io.github.lockstarter.web.LockProblems;

/**
 * Ends a call that failed with a {@link LockException} with a status code and the detail
 * of its problem. The trailers {@code problem-type} and {@code retry-after-millis}
 * contain the type, and the time after which a retry may succeed. No other exception is
 * handled.
 */
public final class LockStatusHandler implements GrpcExceptionHandler {

	private static final Metadata.Key<String> PROBLEM_TYPE = Metadata.Key.of("problem-type",
			Metadata.ASCII_STRING_MARSHALLER);

	private static final Metadata.Key<String> RETRY_AFTER = Metadata.Key.of("retry-after-millis",
			Metadata.ASCII_STRING_MARSHALLER);

	private final LockProblems problems;

	/**
	 * Creates a handler.
	 * @param problems the texts of the statuses
	 */
	public LockStatusHandler(LockProblems problems) {
		this.problems = problems;
	}

	@Override
	public @Nullable StatusException handleException(Throwable exception) {
		if (!(exception instanceof LockException ofLock)) {
			return null;
		}
		ProblemDetail problem = this.problems.describe(ofLock, LocaleContextHolder.getLocale());
		Metadata trailers = new Metadata();
		trailers.put(PROBLEM_TYPE, String.valueOf(problem.getType()));
		Duration retryAfter = ofLock.getRetryAfter();
		if (retryAfter != null) {
			trailers.put(RETRY_AFTER, Long.toString(retryAfter.toMillis()));
		}
		return status(ofLock).withDescription(problem.getDetail()).withCause(exception).asException(trailers);
	}

	/**
	 * Returns the code by what the client can do: {@code ABORTED} and
	 * {@code RESOURCE_EXHAUSTED} say that it may repeat its whole operation later,
	 * {@code UNAVAILABLE} that it may repeat the call, and the others that it must not
	 * repeat the call as it is.
	 */
	private static Status status(LockException exception) {
		if (exception instanceof LockConflictException conflict) {
			return (conflict.getConflictReason() == Reason.QUEUE_FULL) ? Status.RESOURCE_EXHAUSTED : Status.ABORTED;
		}
		if (exception instanceof LeaseLostException) {
			return Status.ABORTED;
		}
		if (exception.getStatusCode().is5xxServerError()) {
			return Status.UNAVAILABLE;
		}
		return exception.getStatusCode().isSameCodeAs(HttpStatus.BAD_REQUEST) ? Status.INVALID_ARGUMENT
				: Status.FAILED_PRECONDITION;
	}

}
