package io.github.lockstarter.web.grpc;

import java.time.Duration;

import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusException;
import org.jspecify.annotations.Nullable;

import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.grpc.server.exception.GrpcExceptionHandler;
import org.springframework.http.ProblemDetail;

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

	private static Status status(LockException exception) {
		return switch (LockProblems.kind(exception)) {
			case CONFLICT -> Status.ABORTED;
			case OVERLOAD -> Status.RESOURCE_EXHAUSTED;
			case UNAVAILABLE -> Status.UNAVAILABLE;
			case INVALID -> Status.INVALID_ARGUMENT;
			case REUSED_KEY -> Status.FAILED_PRECONDITION;
		};
	}

}
