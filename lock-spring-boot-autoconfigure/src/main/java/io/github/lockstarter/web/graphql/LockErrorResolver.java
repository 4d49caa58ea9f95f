package io.github.lockstarter.web.graphql;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

import graphql.ErrorClassification;
import graphql.GraphQLError;
import graphql.GraphqlErrorBuilder;
import graphql.schema.DataFetchingEnvironment;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.graphql.execution.DataFetcherExceptionResolver;
import org.springframework.graphql.execution.ErrorType;
import org.springframework.graphql.execution.SubscriptionExceptionResolver;
import org.springframework.http.ProblemDetail;

import io.github.lockstarter.LockException;
import io.github.lockstarter.operation.ConflictStatuses;
import io.github.lockstarter.web.LockProblems;

/**
 * Resolves a {@link LockException} of a data fetcher or of a subscription to an error
 * with the detail, the type and the status of its problem, and with the time after which
 * a retry may succeed. A conflict is classified as {@code CONFLICT}, an unavailable store
 * as {@code UNAVAILABLE}, and what the client has to correct as {@code BAD_REQUEST}. No
 * other exception is resolved.
 */
public final class LockErrorResolver implements DataFetcherExceptionResolver, SubscriptionExceptionResolver {

	private static final ErrorClassification CONFLICT = ErrorClassification.errorClassification("CONFLICT");

	private static final ErrorClassification UNAVAILABLE = ErrorClassification.errorClassification("UNAVAILABLE");

	private final LockProblems problems;

	private final ConflictStatuses statuses;

	/**
	 * Creates a resolver.
	 * @param problems the texts of the errors
	 * @param statuses the statuses of conflicts without a status of their own
	 */
	public LockErrorResolver(LockProblems problems, ConflictStatuses statuses) {
		this.problems = problems;
		this.statuses = statuses;
	}

	@Override
	public Mono<List<GraphQLError>> resolveException(Throwable exception, DataFetchingEnvironment environment) {
		return resolve(exception, GraphqlErrorBuilder.newError(environment), environment.getLocale());
	}

	@Override
	public Mono<List<GraphQLError>> resolveException(Throwable exception) {
		return resolve(exception, GraphqlErrorBuilder.newError(), LocaleContextHolder.getLocale());
	}

	private Mono<List<GraphQLError>> resolve(Throwable exception, GraphqlErrorBuilder<?> error,
			@Nullable Locale locale) {
		return (exception instanceof LockException ofLock)
				? Mono.just(List.of(describe(ofLock, error, (locale != null) ? locale : Locale.ROOT))) : Mono.empty();
	}

	private GraphQLError describe(LockException exception, GraphqlErrorBuilder<?> error, Locale locale) {
		ProblemDetail problem = this.problems.describe(this.statuses.withStatus(exception), locale);
		Map<String, Object> extensions = new LinkedHashMap<>();
		extensions.put("type", String.valueOf(problem.getType()));
		extensions.put("status", problem.getStatus());
		Duration retryAfter = exception.getRetryAfter();
		if (retryAfter != null) {
			extensions.put("retryAfterMillis", retryAfter.toMillis());
		}
		return error.message("%s", Objects.requireNonNullElse(problem.getDetail(), exception.getMessage()))
			.errorType(classification(exception))
			.extensions(extensions)
			.build();
	}

	private static ErrorClassification classification(LockException exception) {
		return switch (LockProblems.kind(exception)) {
			case CONFLICT, OVERLOAD -> CONFLICT;
			case UNAVAILABLE -> UNAVAILABLE;
			case INVALID, REUSED_KEY -> ErrorType.BAD_REQUEST;
		};
	}

}
