package io.github.lockstarter.client;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Collections;
import java.util.List;

import io.netty.handler.timeout.ReadTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.ResponseEntity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * The requests that an API receives, and the responses that callers get, for each kind of
 * client.
 */
@ParameterizedClass
@EnumSource
class RepeatedRequestsTests {

	private static final String KEY = "Idempotency-Key";

	private static final String IN_PROGRESS = "https://lockstarter.github.io/problems/request-in-progress";

	private static final String UNAVAILABLE = "https://lockstarter.github.io/problems/lock-store-unavailable";

	/** The timeout of a test; a client that follows the API's response needs less. */
	private static final Duration PATIENT = Duration.ofMinutes(1);

	@Parameter
	Client client;

	private final VirtualTime time = new VirtualTime();

	private ScriptedApi api;

	@BeforeEach
	void start() {
		this.api = new ScriptedApi();
	}

	@AfterEach
	void stop() {
		this.api.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { IN_PROGRESS, "https://lockstarter.github.io/problems/wait-timeout",
			"https://lockstarter.github.io/problems/wait-queue-full", "request-in-progress",
			"https://api.example.org/problems#request-in-progress", "urn:problems:request-in-progress" })
	@DisplayName("A request rejected because another one runs is repeated with its key and body")
	void rejected(String type) {
		this.api.thenProblem(409, type, ",\"retryAfterMillis\":1840", "Retry-After", "2");
		ResponseEntity<String> response = post("an order");
		assertThat(response.getStatusCode().value()).isEqualTo(201);
		assertThat(response.getBody()).isEqualTo("done");
		assertThat(this.api.requests()).hasSize(2).extracting(ScriptedApi.Sent::body).containsOnly("an order");
		assertThat(this.api.headers(KEY)).doesNotContain(List.of()).containsOnly(this.api.headers(KEY).get(0));
		assertThat(this.time.delays()).containsExactly(Duration.ofMillis(1840));
	}

	@Test
	@DisplayName("A request to an unavailable API is repeated after Retry-After")
	void unavailable() {
		this.api.thenProblem(503, UNAVAILABLE, "", "Retry-After", "1")
			.then(ScriptedApi.response(503, "text/html", "<h1>Maintenance</h1>", "Retry-After", "3"))
			.then(ScriptedApi.response(503, "", "", "Retry-After", "0"));
		assertThat(post("an order").getStatusCode().value()).isEqualTo(201);
		assertThat(this.api.headers(KEY)).hasSize(4).containsOnly(this.api.headers(KEY).get(0));
		assertThat(this.time.delays()).containsExactly(Duration.ofSeconds(1), Duration.ofSeconds(3), Duration.ZERO);
	}

	@Test
	@DisplayName("Retry-After may be a date")
	void date() {
		this.api.then(
				(exchange) -> ScriptedApi
					.problem(409, IN_PROGRESS, "", "Retry-After",
							DateTimeFormatter.RFC_1123_DATE_TIME
								.format(Instant.now().plusSeconds(7).atOffset(ZoneOffset.UTC)))
					.to(exchange));
		assertThat(post("an order").getStatusCode().value()).isEqualTo(201);
		assertThat(this.time.delays()).singleElement()
			.satisfies((delay) -> assertThat(delay).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(8)));
	}

	@Test
	@DisplayName("A stored response is passed to the caller at once, because repetition cannot change it")
	void replayedResponse() {
		this.api
			.then(ScriptedApi.response(503, "text/plain", "stored", "Retry-After", "0", "Idempotent-Replayed", "true"));
		assertThat(post("an order").getBody()).isEqualTo("stored");
		assertThat(this.api.headers(KEY)).hasSize(1);
	}

	@Test
	@DisplayName("Without Retry-After the wait doubles; after the last attempt the caller gets the last response")
	void backOff() {
		this.api.then(4, ScriptedApi.response(503, "text/plain", "later"))
			.then(ScriptedApi.problem(503, "about:blank", ",\"detail\":\"last\""));
		ResponseEntity<String> response = post("an order");
		assertThat(response.getStatusCode().value()).isEqualTo(503);
		assertThat(response.getBody()).contains("\"last\"");
		assertThat(this.api.headers(KEY)).hasSize(5).containsOnly(this.api.headers(KEY).get(0));
		assertThat(this.time.delays()).extracting(Duration::toMillis).containsExactly(100L, 200L, 400L, 800L);
	}

	@ParameterizedTest
	@CsvSource({ "31", "99999999999999999999" })
	@DisplayName("With a Retry-After above the limit, the caller gets the response at once")
	void tooLong(String seconds) {
		this.api.thenProblem(409, IN_PROGRESS, ",\"more\":1", "Retry-After", seconds);
		ResponseEntity<String> response = post("an order");
		assertThat(response.getStatusCode().value()).isEqualTo(409);
		assertThat(response.getHeaders().getFirst("Retry-After")).isEqualTo(seconds);
		assertThat(response.getBody()).isEqualTo("{\"type\":\"%s\",\"status\":409,\"more\":1}".formatted(IN_PROGRESS));
		assertThat(this.api.requests()).hasSize(1);
		assertThat(this.time.delays()).isEmpty();
	}

	@Test
	@DisplayName("The total of all waits and attempts stays within the limit")
	void totalTime() {
		this.api.then(2, ScriptedApi.problem(409, IN_PROGRESS, "", "Retry-After", "10")).then((exchange) -> {
			this.time.pass(Duration.ofSeconds(1));
			ScriptedApi.problem(409, IN_PROGRESS, "", "Retry-After", "10").to(exchange);
		});
		assertThat(post("an order").getStatusCode().value()).isEqualTo(409);
		assertThat(this.api.requests()).hasSize(3);
		assertThat(this.time.delays()).containsExactly(Duration.ofSeconds(10), Duration.ofSeconds(10));
	}

	@ParameterizedTest
	@CsvSource({ "409, lease-lost", "409, about:blank", "409, not-request-in-progress", "409, request-in-progress/2",
			"422, request-in-progress", "422, payload-mismatch", "400, key-missing", "400, request-in-progress",
			"429, request-in-progress", "500, request-in-progress", "502, request-in-progress",
			"504, request-in-progress" })
	@DisplayName("Any other problem is passed to the caller at once, unchanged")
	void otherProblems(int status, String type) {
		this.api.thenProblem(status, "https://api.example.org/" + type, "", "Retry-After", "1");
		ResponseEntity<String> response = post("an order");
		assertThat(response.getStatusCode().value()).isEqualTo(status);
		assertThat(response.getBody())
			.isEqualTo("{\"type\":\"https://api.example.org/%s\",\"status\":%d}".formatted(type, status));
		assertThat(this.api.requests()).hasSize(1);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			application/json         | {"type":"request-in-progress"}
			text/plain               | request-in-progress
			application/problem+json | request-in-progress
			application/problem+json | {"type":
			application/problem+json | ["request-in-progress"]
			application/problem+json | {"type":["request-in-progress"]}
			application/problem+json | {"type":null}
			application/problem+json | ""
			""                       | ""
			""                       | {"type":"request-in-progress"}
			""")
	@DisplayName("A conflict without the problem type of a running request is passed to the caller, unchanged")
	void noProblem(String contentType, String body) {
		this.api.then(ScriptedApi.response(409, contentType, body));
		ResponseEntity<String> response = post("an order");
		assertThat(response.getStatusCode().value()).isEqualTo(409);
		assertThat(response.getBody()).isEqualTo(body.isEmpty() ? null : body);
		assertThat(this.api.requests()).hasSize(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "POST", "PATCH" })
	@DisplayName("A request with a modifying method gets a random, quoted key of its own")
	void newKey(String method) {
		send(method, new HttpHeaders(), "an order");
		send(method, new HttpHeaders(), "an order");
		assertThat(this.api.headers(KEY)).hasSize(2)
			.doesNotHaveDuplicates()
			.allSatisfy((values) -> assertThat(values).singleElement()
				.satisfies((key) -> assertThat(key)
					.matches("\"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\"")));
	}

	@ParameterizedTest
	@ValueSource(strings = { "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "REPORT" })
	@DisplayName("A request with another method gets no key")
	void noKey(String method) {
		send(method, new HttpHeaders(), null);
		assertThat(this.api.headers(KEY)).containsExactly(List.of());
	}

	@Test
	@DisplayName("The application's own key is kept")
	void ownKey() {
		this.api.thenProblem(409, IN_PROGRESS, "").thenDrop(1);
		HttpHeaders headers = new HttpHeaders();
		headers.set("idempotency-key", "order-4711");
		assertThat(send("POST", headers, "an order").getStatusCode().value()).isEqualTo(201);
		assertThat(this.api.headers(KEY)).hasSize(3).containsOnly(List.of("order-4711"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "POST", "PATCH", "PUT", "DELETE" })
	@DisplayName("A request whose connection was dropped is repeated with its key and body")
	void dropped(String method) {
		this.api.thenDrop(2);
		assertThat(send(method, new HttpHeaders(), "an order").getStatusCode().value()).isEqualTo(201);
		assertThat(this.api.requests()).hasSize(3).extracting(ScriptedApi.Sent::body).containsOnly("an order");
		assertThat(this.api.headers(KEY)).containsOnly(this.api.headers(KEY).get(0));
		assertThat(this.time.delays()).extracting(Duration::toMillis).containsExactly(100L, 200L);
	}

	@Test
	@DisplayName("After the last attempt the caller gets the last failure")
	void alwaysDropped() {
		this.api.thenProblem(409, IN_PROGRESS, "").thenDrop(4);
		assertThat(catchThrowable(() -> post("an order"))).hasCauseInstanceOf(IOException.class);
		assertThat(this.api.requests()).hasSize(5);
	}

	@Test
	@DisplayName("A request that times out is repeated with its key")
	void timeout() {
		this.api.thenHang();
		assertThat(send(Duration.ofMillis(500), "POST", new HttpHeaders(), "an order").getStatusCode().value())
			.isEqualTo(201);
		assertThat(this.api.headers(KEY)).hasSize(2).containsOnly(this.api.headers(KEY).get(0));
	}

	@Test
	@DisplayName("After the last attempt the caller gets the timeout")
	void alwaysTimeout() {
		this.api.thenHang();
		assertThatException()
			.isThrownBy(() -> sender(RetryLimits.DEFAULT.withMaxAttempts(1), Duration.ofMillis(200))
				.send(HttpMethod.POST, this.api.url(), new HttpHeaders(), "an order"))
			.satisfies(
					(ex) -> assertThat(ex.getCause()).isInstanceOfAny(IOException.class, ReadTimeoutException.class));
		assertThat(this.api.requests()).hasSize(1);
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("A non-idempotent method is repeated only with a key, or if the API says that nothing was done")
	void notIdempotent(boolean keyed) {
		HttpHeaders headers = new HttpHeaders();
		if (keyed) {
			headers.set(KEY, "mine");
		}
		this.api.thenDrop(1);
		Throwable failure = catchThrowable(() -> send("REPORT", headers, "a report"));
		this.api.then(ScriptedApi.response(503, "", ""));
		int status = send("REPORT", headers, "a report").getStatusCode().value();
		assertThat(failure == null).isEqualTo(keyed);
		assertThat(status).isEqualTo(keyed ? 201 : 503);
		assertThat(this.api.requests()).hasSize(keyed ? 4 : 2);
		this.api.thenProblem(409, IN_PROGRESS, "");
		assertThat(send("REPORT", headers, "a report").getStatusCode().value()).isEqualTo(201);
	}

	@Test
	@DisplayName("With one attempt nothing is repeated, and the request still gets its key")
	void oneAttempt() {
		this.api.thenProblem(409, IN_PROGRESS, "");
		assertThat(sender(RetryLimits.DEFAULT.withMaxAttempts(1), PATIENT)
			.send(HttpMethod.POST, this.api.url(), new HttpHeaders(), "an order")
			.getStatusCode()
			.value()).isEqualTo(409);
		assertThat(this.api.headers(KEY)).hasSize(1).doesNotContain(Collections.emptyList());
	}

	private ResponseEntity<String> post(String body) {
		return send("POST", new HttpHeaders(), body);
	}

	private ResponseEntity<String> send(String method, HttpHeaders headers, String body) {
		return send(PATIENT, method, headers, body);
	}

	private ResponseEntity<String> send(Duration timeout, String method, HttpHeaders headers, String body) {
		return sender(RetryLimits.DEFAULT, timeout).send(HttpMethod.valueOf(method), this.api.url(), headers, body);
	}

	private Client.Sender sender(RetryLimits limits, Duration timeout) {
		return this.client.with(this.time.retries(limits, VirtualTime.ZERO), this.time, timeout);
	}

}
