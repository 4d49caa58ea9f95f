package io.github.lockstarter.client;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZonedDateTime;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.util.ClassUtils;

/**
 * A response of an API, as a basis for the decision about another attempt.
 *
 * @param status the status of the response
 * @param headers the headers of the response
 * @param problem the body of the response, if it is a problem detail that has been read
 */
record ReceivedResponse(HttpStatusCode status, HttpHeaders headers, @Nullable Problem problem) {

	private static final boolean JACKSON_PRESENT = ClassUtils.isPresent("tools.jackson.databind.json.JsonMapper",
			ReceivedResponse.class.getClassLoader());

	/**
	 * The problem types of requests whose work was not done and can be done later, as
	 * described in {@code docs/problems}. Without {@code lease-lost}, after which the
	 * work may have been done.
	 */
	private static final Set<String> REJECTIONS = Set.of("request-in-progress", "wait-timeout", "wait-queue-full");

	/** The most digits of a delay: more than any time that a client waits. */
	private static final int DIGITS_OF_SECONDS = 9;

	/** Returns a response whose body has not been read. */
	static ReceivedResponse of(HttpStatusCode status, HttpHeaders headers) {
		return new ReceivedResponse(status, headers, null);
	}

	/** Returns the response with its body, which need not be JSON. */
	ReceivedResponse with(byte[] body) {
		return new ReceivedResponse(this.status, this.headers, Jackson.read(body));
	}

	/**
	 * Returns whether the body may contain a problem detail. No other body is read, so
	 * that other responses are streamed unchanged. Without Jackson none is read.
	 */
	boolean hasProblem() {
		try {
			return JACKSON_PRESENT && (isConflict() || isUnavailable())
					&& MediaType.APPLICATION_PROBLEM_JSON.equalsTypeAndSubtype(this.headers.getContentType());
		}
		catch (InvalidMediaTypeException ex) {
			return false;
		}
	}

	/** Returns whether it is a replayed response, which is the same for each attempt. */
	boolean isReplayed() {
		return this.headers.containsHeader("Idempotent-Replayed");
	}

	/**
	 * Returns whether the request was rejected temporarily. Without Jackson, which reads
	 * the problem type, it was if the response asks for another attempt: it does not
	 * after {@code lease-lost}.
	 */
	boolean isRejection() {
		if (!JACKSON_PRESENT) {
			return isConflict() && this.headers.containsHeader(HttpHeaders.RETRY_AFTER);
		}
		return isConflict() && this.problem != null && REJECTIONS.contains(lastSegment(this.problem.type()));
	}

	private static String lastSegment(String uri) {
		int end = Math.max(uri.lastIndexOf('/'), Math.max(uri.lastIndexOf('#'), uri.lastIndexOf(':')));
		return uri.substring(end + 1);
	}

	/** Returns whether the API or a proxy could not handle the request. */
	boolean isUnavailable() {
		return this.status.value() == HttpStatus.SERVICE_UNAVAILABLE.value();
	}

	private boolean isConflict() {
		return this.status.value() == HttpStatus.CONFLICT.value();
	}

	/**
	 * Returns the delay that the response asks for, or {@code null} if there is no valid
	 * one.
	 */
	@Nullable Duration retryAfter(InstantSource clock) {
		if (this.problem != null && this.problem.retryAfter() != null) {
			return this.problem.retryAfter();
		}
		String header = this.headers.getFirst(HttpHeaders.RETRY_AFTER);
		if (header == null) {
			return null;
		}
		if (header.matches("\\d+")) {
			return (header.length() <= DIGITS_OF_SECONDS) ? Duration.ofSeconds(Long.parseLong(header))
					: Duration.ofSeconds(Long.MAX_VALUE);
		}
		Instant date = date(HttpHeaders.RETRY_AFTER);
		if (date == null) {
			return null;
		}
		// The difference of two times of one clock is correct, even if the clock is
		// wrong.
		Instant sent = date(HttpHeaders.DATE);
		Duration wait = Duration.between((sent != null) ? sent : clock.instant(), date);
		return wait.isNegative() ? Duration.ZERO : wait;
	}

	private @Nullable Instant date(String header) {
		try {
			ZonedDateTime date = this.headers.getFirstZonedDateTime(header);
			return (date != null) ? date.toInstant() : null;
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	/**
	 * What a problem detail says.
	 *
	 * @param type the problem type, or an empty text
	 * @param retryAfter the delay that the response asks for, if there is a valid one
	 */
	record Problem(String type, @Nullable Duration retryAfter) {
	}

	/** Keeps Jackson, which is optional, out of the signatures. */
	private static final class Jackson {

		static @Nullable Problem read(byte[] body) {
			try {
				JsonNode problem = JsonMapper.shared().readTree(body);
				JsonNode millis = problem.path("retryAfterMillis");
				boolean valid = millis.isIntegralNumber() && millis.canConvertToLong() && millis.asLong() >= 0;
				return new Problem(problem.path("type").asString(""),
						valid ? Duration.ofMillis(millis.asLong()) : null);
			}
			catch (JacksonException ex) {
				return null;
			}
		}

	}

}
