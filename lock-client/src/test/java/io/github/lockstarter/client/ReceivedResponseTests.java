package io.github.lockstarter.client;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;

import io.github.lockstarter.testing.ProcessorTime;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The retry time of an received.
 */
class ReceivedResponseTests {

	private static final InstantSource CLOCK = InstantSource.fixed(Instant.parse("2026-03-15T12:00:00Z"));

	@ParameterizedTest
	@CsvSource(delimiter = '|', nullValues = "-", textBlock = """
			0                              | -                             | PT0S
			2                              | -                             | PT2S
			007                            | -                             | PT7S
			999999999                      | -                             | PT277777H46M39S
			1000000000                     | -                             | PT2562047788015215H30M7S
			99999999999999999999           | -                             | PT2562047788015215H30M7S
			Sun, 15 Mar 2026 12:00:05 GMT  | -                             | PT5S
			Sunday, 15-Mar-26 12:00:05 GMT | -                             | PT5S
			Sun Mar 15 12:00:05 2026       | -                             | PT5S
			Sun, 15 Mar 2026 11:59:55 GMT  | -                             | PT0S
			Sun, 15 Mar 2026 12:00:05 GMT  | Sun, 15 Mar 2026 12:00:02 GMT | PT3S
			Sun, 15 Mar 2026 09:00:05 GMT  | Sun, 15 Mar 2026 09:00:02 GMT | PT3S
			Sun, 15 Mar 2026 12:00:05 GMT  | yesterday                     | PT5S
			-                              | Sun, 15 Mar 2026 12:00:02 GMT | -
			-1                             | -                             | -
			1.5                            | -                             | -
			soon                           | -                             | -
			Sun, 31 Feb 2026 12:00:05 GMT  | -                             | -
			''                             | -                             | -
			٣                              | -                             | -
			""")
	@DisplayName("Retry-After is a number of seconds or a date by the server's clock; any other value is ignored")
	void retryAfter(String retryAfter, String date, Duration expected) {
		HttpHeaders headers = new HttpHeaders();
		headers.set(HttpHeaders.RETRY_AFTER, retryAfter);
		headers.set(HttpHeaders.DATE, date);
		assertThat(ReceivedResponse.of(HttpStatus.SERVICE_UNAVAILABLE, headers).retryAfter(CLOCK)).isEqualTo(expected);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			{"retryAfterMillis":1840}                | PT1.84S
			{"retryAfterMillis":0}                   | PT0S
			{"retryAfterMillis":9223372036854775807} | PT2562047788015H12M55.807S
			{"retryAfterMillis":9223372036854775808} | PT2S
			{"retryAfterMillis":-1}                  | PT2S
			{"retryAfterMillis":1.5}                 | PT2S
			{"retryAfterMillis":"1840"}              | PT2S
			{"retryAfterMillis":null}                | PT2S
			{"properties":{"retryAfterMillis":1840}} | PT2S
			[1840]                                   | PT2S
			1840                                     | PT2S
			{"retryAfterMillis":1840                 | PT2S
			""")
	@DisplayName("A valid retryAfterMillis is more precise than Retry-After")
	void millis(String body, Duration expected) {
		HttpHeaders headers = new HttpHeaders();
		headers.set(HttpHeaders.RETRY_AFTER, "2");
		assertThat(ReceivedResponse.of(HttpStatus.CONFLICT, headers)
			.with(body.getBytes(StandardCharsets.UTF_8))
			.retryAfter(CLOCK)).isEqualTo(expected);
	}

	@ParameterizedTest
	@CsvSource({ "application/problem+json, true", "application/problem+json;charset=UTF-8, true",
			"Application/Problem+JSON, true", "application/json, false", "application/*, false", "nonsense, false",
			"'', false" })
	@DisplayName("The body is read only if it is a problem")
	void hasProblem(String contentType, boolean expected) {
		HttpHeaders headers = new HttpHeaders();
		headers.set(HttpHeaders.CONTENT_TYPE, contentType);
		assertThat(ReceivedResponse.of(HttpStatus.CONFLICT, headers).hasProblem()).isEqualTo(expected);
		assertThat(ReceivedResponse.of(HttpStatus.SERVICE_UNAVAILABLE, headers).hasProblem()).isEqualTo(expected);
		assertThat(ReceivedResponse.of(HttpStatus.UNPROCESSABLE_CONTENT, headers).hasProblem()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "a", "/", "#:", "\\n", "request-in-progress" })
	@DisplayName("The time to read the problem type of a server grows only with its length")
	void longType(String repeated) {
		ProcessorTime.assertLinear((length) -> {
			ReceivedResponse received = ReceivedResponse.of(HttpStatus.CONFLICT, new HttpHeaders())
				.with("{\"type\":\"%s\"}".formatted(repeated.repeat(length)).getBytes(StandardCharsets.UTF_8));
			return received::isRejection;
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "7", " ", ",", "Sun", "Sun, " })
	@DisplayName("The time to read Retry-After of a server grows only with its length")
	void longRetryAfter(String repeated) {
		ProcessorTime.assertLinear((length) -> {
			HttpHeaders headers = new HttpHeaders();
			headers.set(HttpHeaders.RETRY_AFTER, repeated.repeat(length));
			ReceivedResponse received = ReceivedResponse.of(HttpStatus.SERVICE_UNAVAILABLE, headers);
			return () -> received.retryAfter(CLOCK);
		});
	}

}
