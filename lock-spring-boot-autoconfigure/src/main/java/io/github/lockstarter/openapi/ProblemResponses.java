package io.github.lockstarter.openapi;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.swagger.v3.oas.models.examples.Example;
import io.swagger.v3.oas.models.headers.Header;
import io.swagger.v3.oas.models.media.Content;
import io.swagger.v3.oas.models.media.IntegerSchema;
import io.swagger.v3.oas.models.media.MediaType;
import io.swagger.v3.oas.models.responses.ApiResponse;

import org.springframework.http.HttpHeaders;
import org.springframework.http.ProblemDetail;

import io.github.lockstarter.InvalidIdempotencyKeyException;
import io.github.lockstarter.InvalidIdempotencyKeyException.Reason;
import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockConflictException.ConflictReason;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.MissingLockKeyException;
import io.github.lockstarter.PayloadMismatchException;
import io.github.lockstarter.RequestTooLargeException;
import io.github.lockstarter.ResultUnavailableException;
import io.github.lockstarter.TooManyLockKeysException;
import io.github.lockstarter.operation.LockOperation;
import io.github.lockstarter.operation.LockedMethod;
import io.github.lockstarter.web.LockProblems;

import static org.springframework.http.MediaType.APPLICATION_PROBLEM_JSON_VALUE;

/**
 * The descriptions of the responses to lock exceptions, with the texts of these
 * exceptions.
 */
final class ProblemResponses {

	private final LockProblems problems;

	ProblemResponses(LockProblems problems) {
		this.problems = problems;
	}

	/**
	 * Returns the responses that the locks of a method add to its operation, by status.
	 */
	Map<String, ApiResponse> of(LockedMethod method) {
		Map<String, Map<String, LockException>> byStatus = new TreeMap<>();
		method.operations()
			.stream()
			.flatMap(ProblemResponses::exceptions)
			.forEach((exception) -> byStatus
				.computeIfAbsent(Integer.toString(exception.getStatusCode().value()), (status) -> new LinkedHashMap<>())
				.putIfAbsent(name(exception.getBody()), exception));
		Map<String, ApiResponse> responses = new LinkedHashMap<>();
		byStatus.forEach((status, exceptions) -> responses.put(status, response(exceptions)));
		return responses;
	}

	/** Returns one exception for each problem type that a call may get. */
	private static Stream<LockException> exceptions(LockOperation operation) {
		List<LockException> exceptions = new ArrayList<>();
		LockKey key = new LockKey(operation.name(), "");
		if (operation.keys().mayBeMissing()) {
			exceptions.add(new MissingLockKeyException(operation.name()));
		}
		if (operation.keys().isOfEach()) {
			exceptions.add(new TooManyLockKeysException(operation.name(), 0));
		}
		if (HeaderParameters.readsIdempotencyKey(operation)) {
			Stream.of(Reason.values())
				.forEach((reason) -> exceptions.add(new InvalidIdempotencyKeyException(operation.name(), reason)));
		}
		conflictReasons(operation.options()).forEach((reason) -> exceptions
			.add(new LockConflictException(key, reason, operation.options().ttl(), operation.conflictStatus())));
		exceptions.add(new LeaseLostException(key));
		if (operation.replay() != null) {
			exceptions.add(new PayloadMismatchException(operation.name()));
			exceptions.add(new RequestTooLargeException(operation.name()));
			exceptions.add(new ResultUnavailableException(operation.name()));
		}
		exceptions.add(new LockStoreException(key, "unavailable", null));
		return exceptions.stream();
	}

	private static Stream<ConflictReason> conflictReasons(LockOptions options) {
		return options.waitTime().isZero() ? Stream.of(ConflictReason.HELD)
				: Stream.of(ConflictReason.WAIT_TIMEOUT, ConflictReason.QUEUE_FULL);
	}

	private ApiResponse response(Map<String, LockException> exceptions) {
		MediaType problem = new MediaType().schema(LockProblemSchema.reference());
		Map<String, ProblemDetail> bodies = new LinkedHashMap<>();
		exceptions.forEach((name, exception) -> bodies.put(name, this.problems.describe(exception, Locale.ROOT)));
		bodies.forEach(
				(name, body) -> problem.addExamples(name, new Example().summary(body.getTitle()).value(members(body))));
		ApiResponse response = new ApiResponse().description(description(bodies))
			.content(new Content().addMediaType(APPLICATION_PROBLEM_JSON_VALUE, problem));
		if (exceptions.values().stream().anyMatch((exception) -> exception.getRetryAfter() != null)) {
			response.addHeaderObject(HttpHeaders.RETRY_AFTER,
					new Header().description("The number of seconds after which a retry may succeed.")
						.schema(new IntegerSchema()));
		}
		return response;
	}

	private static String description(Map<String, ProblemDetail> bodies) {
		return bodies.values()
			.stream()
			.map((body) -> "%s (`%s`)".formatted(body.getTitle(), body.getType()))
			.collect(Collectors.joining("; "));
	}

	/** Extension members are sent on the same level as the others. */
	private static Map<String, Object> members(ProblemDetail body) {
		Map<String, Object> members = new LinkedHashMap<>();
		members.put("type", String.valueOf(body.getType()));
		members.put("title", String.valueOf(body.getTitle()));
		members.put("status", body.getStatus());
		members.put("detail", String.valueOf(body.getDetail()));
		if (body.getProperties() != null) {
			members.putAll(body.getProperties());
		}
		return members;
	}

	private static String name(ProblemDetail body) {
		String type = String.valueOf(body.getType());
		return type.substring(type.lastIndexOf('/') + 1);
	}

}
