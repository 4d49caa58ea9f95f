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
import tools.jackson.databind.node.MissingNode;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;

/**
 * What an answer says about another attempt.
 *
 * @param status its status
 * @param headers its headers
 * @param problem its body, as far as it is a problem detail
 */
record Answer(HttpStatusCode status, HttpHeaders headers, JsonNode problem) {

	/**
	 * The work was not done, and may be later, as the page of each in
	 * {@code docs/problems} says. Not {@code lease-lost}: the work may have been done.
	 */
	private static final Set<String> REFUSALS = Set.of("request-in-progress", "wait-timeout", "wait-queue-full");

	/** Longer than any time that is waited for. */
	private static final int DIGITS_OF_SECONDS = 9;

	/** Returns an answer whose body has not been read. */
	static Answer of(HttpStatusCode status, HttpHeaders headers) {
		return new Answer(status, headers, MissingNode.getInstance());
	}

	/** Returns the answer with its body, which may be anything. */
	Answer with(byte[] body) {
		try {
			return new Answer(this.status, this.headers, JsonMapper.shared().readTree(body));
		}
		catch (JacksonException ex) {
			return this;
		}
	}

	/**
	 * Returns whether the body says more than the headers. No other body is read, so that
	 * answers are streamed as they are without a retry.
	 */
	boolean hasProblem() {
		try {
			return (isConflict() || isUnavailable())
					&& MediaType.APPLICATION_PROBLEM_JSON.equalsTypeAndSubtype(this.headers.getContentType());
		}
		catch (InvalidMediaTypeException ex) {
			return false;
		}
	}

	/** Returns whether it is a stored answer, which is the same for each attempt. */
	boolean isReplayed() {
		return this.headers.containsHeader("Idempotent-Replayed");
	}

	/** Returns whether the work was not done for the time being. */
	boolean isRefusal() {
		String type = this.problem.path("type").asString("");
		return isConflict() && REFUSALS.contains(type.replaceFirst(".*[/#:]", ""));
	}

	/** Returns whether the server, or one before it, could not handle the request. */
	boolean isUnavailable() {
		return this.status.value() == HttpStatus.SERVICE_UNAVAILABLE.value();
	}

	private boolean isConflict() {
		return this.status.value() == HttpStatus.CONFLICT.value();
	}

	/**
	 * Returns how long the server wants the client to wait, or {@code null} if it does
	 * not say so in a way that can be understood.
	 */
	@Nullable Duration retryAfter(InstantSource clock) {
		JsonNode millis = this.problem.path("retryAfterMillis");
		if (millis.isIntegralNumber() && millis.canConvertToLong() && millis.asLong() >= 0) {
			return Duration.ofMillis(millis.asLong());
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
		// Two times of one clock differ rightly, even if the clock is wrong.
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

}
