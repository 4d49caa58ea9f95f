package io.github.lockstarter.autoconfigure;

import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import io.github.lockstarter.registry.LockInspector;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The replayed response is the one that was sent, in both web stacks.
 */
@ParameterizedClass
@ValueSource(strings = { "servlet", "reactive" })
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReplayedResponsesTests {

	private static final String REPLAYED = "Idempotent-Replayed";

	private static final JsonMapper json = new JsonMapper();

	@Parameter
	String type;

	private TestServer server;

	private Runs runs;

	private String key;

	@BeforeParameterizedClassInvocation
	void start() {
		Stream<Class<?>> common = Stream.of(TestServer.Application.class, Runs.class, ReplayedResponses.Failing.class,
				ReplayedResponses.Chosen.class, ReplayedResponses.Advice.class, ReplayedResponses.Predicate.class,
				ResponsesOutsideHandlers.Handlers.class);
		Stream<Class<?>> own = isServlet()
				? Stream.of(ReplayedResponses.Servlet.class, ReplayedResponses.Forms.class,
						ResponsesOutsideHandlers.Servlet.class, ResponsesOutsideHandlers.ServletAdvice.class)
				: Stream.of(ReplayedResponses.Reactive.class, ResponsesOutsideHandlers.Reactive.class);
		this.server = TestServer.start(Stream.concat(common, own).toArray(Class<?>[]::new), "lock.store=memory",
				"spring.main.web-application-type=" + this.type, "spring.web.error.include-message=always");
		this.runs = this.server.context().getBean(Runs.class);
	}

	@AfterParameterizedClassInvocation
	void stop() {
		this.server.close();
	}

	@BeforeEach
	void newKey() {
		this.key = UUID.randomUUID().toString();
	}

	private boolean isServlet() {
		return this.type.equals("servlet");
	}

	@ParameterizedTest
	@CsvSource({ "/handled, 402", "/handled-at-once, 402", "/handled-flux, 402", "/handled-here, 410",
			"/handled-without-body, 404", "/redirected, 302", "/returned-problem, 402", "/returned-error, 502",
			"/see-other, 303", "/accepted, 202", "/status-set, 201", "/of-lock, 409" })
	@DisplayName("A duplicate gets the first request's status, content headers and body")
	void sameResponse(String path, int status) throws Exception {
		HttpResponse<String> first = post(path);
		assertThat(first.statusCode()).isEqualTo(status);
		assertThat(first.headers().firstValue(REPLAYED)).isEmpty();
		for (int i = 0; i < 2; i++) {
			assertSame(first, post(path));
		}
		assertThat(this.runs.count(this.key)).isEqualTo(1);
		assertNothingHeld();
	}

	@ParameterizedTest
	@CsvSource({ "/encoded, 200", "/encoded-failure, 402", "/rewritten, 402", "/denied, 403", "/direct, 402",
			"/retried, 200" })
	@DisplayName("A duplicate gets a response made by a filter, an exception handler or a retry, or with a content encoding")
	void sameResponseOfOthers(String path, int status) throws Exception {
		HttpResponse<String> first = post(path);
		assertThat(first.statusCode()).isEqualTo(status);
		assertThat(first.body()).isNotEmpty();
		int runs = this.runs.count(this.key);
		assertSame(first, post(path));
		assertSame(first, post(path));
		assertThat(this.runs.count(this.key)).isEqualTo(runs);
		assertNothingHeld();
	}

	@Test
	@DisplayName("In Spring MVC, a response is stored whole even if its client disconnects before it is written")
	void disconnectedClient() throws Exception {
		if (!isServlet()) {
			return;
		}
		try (Socket client = new Socket("localhost", this.server.port())) {
			client.setSoLinger(true, 0);
			client.getOutputStream()
				.write("POST /large-failure?run=%1$s HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: %1$s\r\nContent-Length: 0\r\n\r\n"
					.formatted(this.key)
					.getBytes(StandardCharsets.US_ASCII));
			Awaitility.await().until(() -> this.runs.count(this.key) == 1);
		}
		ResponsesOutsideHandlers.disconnected.countDown();
		assertNothingHeld();
		HttpResponse<String> again = post("/large-failure");
		assertThat(again.statusCode()).isEqualTo(402);
		assertThat(again.body()).isEqualTo("run 1".repeat(5000));
		assertThat(this.runs.count(this.key)).isEqualTo(1);
	}

	@Test
	@DisplayName("An exception handler that throws is called once")
	void failingHandler() throws Exception {
		int before = ReplayedResponses.Advice.rethrown.get();
		post("/rethrown");
		assertThat(ReplayedResponses.Advice.rethrown.get() - before).isEqualTo(1);
		assertNothingHeld();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/headed", "/headed-error-page" })
	@DisplayName("A HEAD request gets the status of the stored response")
	void head(String path) throws Exception {
		HttpResponse<String> first = this.server.send("GET", path + "?run=" + this.key, "Idempotency-Key", this.key);
		HttpResponse<String> again = this.server.send("HEAD", path + "?run=" + this.key, "Idempotency-Key", this.key);
		assertThat(again.statusCode()).isEqualTo(first.statusCode()).isGreaterThan(401);
		assertThat(again.headers().firstValue(REPLAYED)).hasValue("true");
		assertThat(this.runs.count(this.key)).isEqualTo(1);
	}

	@Test
	@DisplayName("A duplicate gets the response that the handler wrote itself, once the lock is free")
	void writtenByHandler() throws Exception {
		HttpResponse<String> first = post("/written");
		assertThat(first.body()).isEqualTo("run 1");
		// Its client may have it before the handler ends.
		assertNothingHeld();
		assertSame(first, post("/written"));
		assertThat(this.runs.count(this.key)).isEqualTo(1);
	}

	@ParameterizedTest
	@CsvSource({ "/status-set-later, 201", "/status-set-by-task, 201", "/status-set-by-mono, 201",
			"/failing-later, 402", "/form, 302", "/redirect-view, 303", "/page, 200" })
	@DisplayName("In Spring MVC, a duplicate gets the response of a future or a view")
	void sameResponseOfServlet(String path, int status) throws Exception {
		if (isServlet()) {
			sameResponse(path, status);
		}
	}

	private void assertSame(HttpResponse<String> first, HttpResponse<String> again) {
		assertThat(again.headers().allValues(REPLAYED)).containsExactly("true");
		assertThat(again.statusCode()).isEqualTo(first.statusCode());
		assertThat(again.body()).isEqualTo(first.body());
		for (String header : new String[] { "Location", "ETag", "Link", "Content-Type", "Content-Encoding" }) {
			assertThat(again.headers().allValues(header)).as(header)
				.isEqualTo(first.headers().allValues(header).stream().map(this::withoutClient).toList());
		}
		assertThat(again.headers().map()).doesNotContainKeys("set-cookie", "x-other");
	}

	/** A stored location has neither the session nor the host of the first request. */
	private String withoutClient(String location) {
		return location.replaceAll(";jsessionid=\\w+", "").replace("http://127.0.0.1:" + this.server.port(), "");
	}

	@ParameterizedTest
	@CsvSource({ "/unavailable, 503, 'down, run 1'", "/annotated, 418, ", "/unhandled, 500, " })
	@DisplayName("An error page is rendered again for a duplicate, with the same status and reason")
	void errorPage(String path, int status, String reason) throws Exception {
		HttpResponse<String> first = post(path);
		assertThat(first.statusCode()).isEqualTo(status);
		HttpResponse<String> again = post(path);
		assertThat(again.headers().allValues(REPLAYED)).containsExactly("true");
		assertThat(again.statusCode()).isEqualTo(status);
		JsonNode page = json.readTree(again.body());
		assertThat(page.propertyNames()).contains("timestamp", "status", "error", "path");
		assertThat(page.get("path").asString()).isEqualTo(path);
		if (reason != null) {
			assertThat(page.get("message").asString()).isEqualTo(reason)
				.isEqualTo(json.readTree(first.body()).get("message").asString());
		}
		assertThat(this.runs.count(this.key)).isEqualTo(1);
		assertNothingHeld();
	}

	@ParameterizedTest
	@CsvSource({ "value, 202, 1", "declined, 402, 1", "conflict, 409, 2", "other, 500, 2" })
	@DisplayName("With configured statuses, responses with these statuses are stored, and others are not")
	void chosenStatuses(String how, int status, int runs) throws Exception {
		HttpResponse<String> first = this.server.post("/chosen?run=" + this.key + "&how=" + how, ReplayHandlers.KEY,
				this.key);
		HttpResponse<String> again = this.server.post("/chosen?run=" + this.key + "&how=" + how, ReplayHandlers.KEY,
				this.key);
		assertThat(first.statusCode()).isEqualTo(status);
		assertThat(again.statusCode()).isEqualTo(status);
		assertThat(again.headers().firstValue(REPLAYED).isPresent()).isEqualTo(runs == 1);
		assertThat(this.runs.count(this.key)).isEqualTo(runs);
		assertNothingHeld();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/default", "/exempt" })
	@DisplayName("By default failures are not stored, nor are those that the application exempts")
	void notKept(String path) throws Exception {
		HttpResponse<String> first = post(path);
		HttpResponse<String> again = post(path);
		assertThat(again.statusCode()).isEqualTo(first.statusCode()).isBetween(400, 499);
		assertThat(again.headers().firstValue(REPLAYED)).isEmpty();
		assertThat(this.runs.count(this.key)).isEqualTo(2);
		assertNothingHeld();
	}

	@Test
	@DisplayName("A key that was used for another path of the same handler gets status 422")
	void otherPath() throws Exception {
		assertThat(post("/path-a").statusCode()).isEqualTo(200);
		assertThat(post("/path-b").statusCode()).isEqualTo(422);
		assertThat(post("/path-a").headers().firstValue(REPLAYED)).hasValue("true");
		assertThat(this.runs.count(this.key)).isEqualTo(1);
	}

	@ParameterizedTest
	@CsvSource({ "/handled, image/png", "/handled-flux, application/x-ndjson", "/handled-flux, text/event-stream",
			"/handled, no media type" })
	@DisplayName("A stored response is sent unchanged, whatever media types the duplicate accepts")
	void otherMediaType(String path, String accept) throws Exception {
		HttpResponse<String> first = post(path);
		HttpResponse<String> again = this.server.post(path + "?run=" + this.key, ReplayHandlers.KEY, this.key, "Accept",
				"image/png");
		assertSame(first, again);
	}

	/** The lock is free when the response has been sent, if not before. */
	private void assertNothingHeld() {
		Awaitility.await().until(() -> this.server.context().getBean(LockInspector.class).snapshot().isEmpty());
	}

	private HttpResponse<String> post(String path) throws Exception {
		return this.server.post(path + "?run=" + this.key, ReplayHandlers.KEY, this.key);
	}

}
