package io.github.lockstarter.autoconfigure;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Published test cases of other projects for idempotency keys: the requests and the
 * expected responses. The first column is the project: H for paveg/hono-idempotency
 * (tests of its middleware, at 6d6a075), A for snok/asgi-idempotency-header
 * (tests/test_middleware, at 8f89a5c). Concurrent requests are tested in
 * {@link ReplayTests}.
 */
@ParameterizedClass
@ValueSource(strings = { "servlet", "reactive" })
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PublishedCasesTests {

	@Parameter
	String type;

	private final HttpClient client = HttpClient.newHttpClient();

	private TestServer server;

	@BeforeParameterizedClassInvocation
	void start() {
		this.server = TestServer.start(
				new Class<?>[] { TestServer.CompleteApplication.class, Operations.class, Handlers.class },
				"lock.store=memory", "lock.replay.max-key-length=36", "spring.main.web-application-type=" + this.type);
	}

	@AfterParameterizedClassInvocation
	void stop() {
		this.server.close();
	}

	@ParameterizedTest(name = "{0}")
	@CsvSource(delimiter = '|', nullValues = "-",
			textBlock = """
					H text again                  | POST  | /respond/text  | h1 | -             | 200 | /respond/text  | h1 | -             | 200 | replayed
					H JSON again                  | POST  | /respond/json  | h2 | -             | 200 | /respond/json  | h2 | -             | 200 | replayed
					H created again               | POST  | /create        | h3 | {"item":"A"}  | 201 | /create        | h3 | {"item":"A"}  | 201 | replayed
					H other content               | POST  | /create        | h4 | {"item":"A"}  | 201 | /create        | h4 | {"item":"B"}  | 422 | rejected
					H no key where it is required | POST  | /respond/text  | -  | -             | 400 | /respond/text  | -  | -             | 400 | rejected
					H key at the limit            | POST  | /respond/text  | aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa  | - | 200 | /respond/text | aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa  | - | 200 | replayed
					H key beyond the limit        | POST  | /respond/text  | aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa | - | 400 | /respond/text | aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa | - | 400 | rejected
					H key of one character        | POST  | /respond/text  | x  | -             | 200 | /respond/text  | x  | -             | 200 | replayed
					H handler throws              | POST  | /throws        | h5 | -             | 500 | /throws        | h5 | -             | 500 | runs
					H handler returns 500         | POST  | /status/500    | h6 | -             | 500 | /status/500    | h6 | -             | 500 | runs
					H first 503, then 200         | POST  | /unavailable   | h7 | -             | 503 | /unavailable   | h7 | -             | 200 | runs
					H 400 is not kept             | POST  | /status/400    | h8 | -             | 400 | /status/400    | h8 | -             | 400 | runs
					H 299 is kept                 | POST  | /status/299    | h9 | -             | 299 | /status/299    | h9 | -             | 299 | replayed
					H 300 is not kept, here it is | POST  | /status/300    | ha | -             | 300 | /status/300    | ha | -             | 300 | replayed
					H PATCH                       | PATCH | /update        | hb | {"a":1}       | 200 | /update        | hb | {"a":1}       | 200 | replayed
					H one key, two operations     | POST  | /respond/text  | hc | -             | 200 | /create        | hc | {"item":"A"}  | 201 | runs
					H no body                     | POST  | /create        | hd | -             | 201 | /create        | hd | -             | 201 | replayed
					H cookie of the first         | POST  | /cookie        | he | -             | 200 | /cookie        | he | -             | 200 | replayed
					H bare key with spaces, here rejected | POST | /respond/text | a key with spaces | - | 400 | /respond/text | a key with spaces | - | 400 | rejected
					A JSON                        | POST  | /respond/json  | 0f1c9a3e-5f0e-4c1b-9d55-0c8f6d3f6a11 | - | 200 | /respond/json | 0f1c9a3e-5f0e-4c1b-9d55-0c8f6d3f6a11 | - | 200 | replayed
					A created                     | POST  | /create        | 0f1c9a3e-5f0e-4c1b-9d55-0c8f6d3f6a12 | {} | 201 | /create | 0f1c9a3e-5f0e-4c1b-9d55-0c8f6d3f6a12 | {} | 201 | replayed
					A XML is not kept, here it is | POST  | /respond/xml   | a1 | -             | 200 | /respond/xml   | a1 | -             | 200 | replayed
					A HTML is not kept, here it is | POST | /respond/html  | a2 | -             | 200 | /respond/html  | a2 | -             | 200 | replayed
					A bytes are not kept, here they are | POST | /bytes    | a3 | -             | 200 | /bytes         | a3 | -             | 200 | replayed
					A redirect is not kept, here it is | POST | /redirect  | a4 | -             | 302 | /redirect      | a4 | -             | 302 | replayed
					A key that is no UUID, here a key | POST | /respond/text | test | -          | 200 | /respond/text  | test | -           | 200 | replayed
					A digits, here a key          | POST  | /respond/text  | 123 | -            | 200 | /respond/text  | 123 | -            | 200 | replayed
					""")
	@DisplayName("The second request of a published case is replayed, runs or is rejected, as the case states")
	void cases(String name, String method, String path, @Nullable String key, @Nullable String body, int status,
			String nextPath, @Nullable String nextKey, @Nullable String nextBody, int nextStatus, String then)
			throws Exception {
		HttpResponse<String> first = send(method, path, key, body);
		assertThat(first.statusCode()).isEqualTo(status);
		assertThat(first.headers().firstValue("Idempotent-Replayed")).isEmpty();
		Operations operations = this.server.context().getBean(Operations.class);
		int before = operations.runs();
		HttpResponse<String> next = send(method, nextPath, nextKey, nextBody);
		int ran = operations.runs() - before;
		assertThat(next.statusCode()).isEqualTo(nextStatus);
		assertThat(next.headers().firstValue("Idempotent-Replayed").isPresent()).isEqualTo(then.equals("replayed"));
		assertThat(ran).isEqualTo(then.equals("runs") ? 1 : 0);
		if (then.equals("replayed")) {
			assertThat(next.body()).isEqualTo(first.body());
			assertThat(next.headers().firstValue("Content-Type")).isEqualTo(first.headers().firstValue("Content-Type"));
			assertThat(next.headers().firstValue("Location")).isEqualTo(first.headers().firstValue("Location"));
			assertThat(next.headers().firstValue("Set-Cookie")).isEmpty();
		}
	}

	private HttpResponse<String> send(String method, String path, @Nullable String key, @Nullable String body)
			throws Exception {
		HttpRequest.Builder request = HttpRequest
			.newBuilder(URI.create("http://127.0.0.1:" + this.server.port() + path))
			.method(method,
					(body != null) ? HttpRequest.BodyPublishers.ofString(body) : HttpRequest.BodyPublishers.noBody())
			.header("Content-Type", "text/plain");
		if (key != null) {
			request.header("Idempotency-Key", key);
		}
		return this.client.send(request.build(), HttpResponse.BodyHandlers.ofString());
	}

	/** The number of runs of each operation. */
	static class Operations {

		private final Map<String, AtomicInteger> runs = new ConcurrentHashMap<>();

		int next(String operation) {
			return this.runs.computeIfAbsent(operation, (each) -> new AtomicInteger()).incrementAndGet();
		}

		int runs() {
			return this.runs.values().stream().mapToInt(AtomicInteger::get).sum();
		}

	}

	@RestController
	@ExclusiveRequest(key = "header('Idempotency-Key')", replay = "1h")
	static class Handlers {

		private final Operations operations;

		Handlers(Operations operations) {
			this.operations = operations;
		}

		private int next(String operation) {
			return this.operations.next(operation);
		}

		@PostMapping("/respond/{form}")
		Mono<ResponseEntity<String>> respond(@PathVariable String form) {
			return Mono.fromSupplier(() -> switch (form) {
				case "json" -> typed(MediaType.APPLICATION_JSON, "{\"run\":" + next(form) + "}");
				case "xml" -> typed(MediaType.APPLICATION_XML, "<run>" + next(form) + "</run>");
				case "html" -> typed(MediaType.TEXT_HTML, "<p>" + next(form) + "</p>");
				default -> typed(MediaType.TEXT_PLAIN, "run " + next(form));
			});
		}

		private static ResponseEntity<String> typed(MediaType type, String body) {
			return ResponseEntity.ok().contentType(type).body(body);
		}

		@PostMapping("/create")
		Mono<ResponseEntity<String>> create(@RequestBody(required = false) @Nullable String item) {
			return Mono.fromSupplier(() -> ResponseEntity.status(201).body(item + " " + next("create")));
		}

		@PatchMapping("/update")
		Mono<String> update(@RequestBody String change) {
			return Mono.fromSupplier(() -> change + " " + next("update"));
		}

		@PostMapping("/status/{status}")
		Mono<ResponseEntity<String>> status(@PathVariable int status) {
			return Mono.fromSupplier(() -> ResponseEntity.status(status).body("run " + next("status")));
		}

		@PostMapping("/throws")
		Mono<String> fails() {
			return Mono.error(() -> new IllegalStateException("run " + next("throws")));
		}

		@PostMapping("/unavailable")
		Mono<ResponseEntity<String>> unavailable() {
			return Mono.fromSupplier(() -> ResponseEntity.status((next("unavailable") == 1) ? 503 : 200).body("done"));
		}

		@PostMapping("/cookie")
		Mono<ResponseEntity<String>> cookie() {
			return Mono.fromSupplier(
					() -> ResponseEntity.ok().header("Set-Cookie", "session=abc123").body("run " + next("cookie")));
		}

		@PostMapping("/bytes")
		Mono<ResponseEntity<byte[]>> bytes() {
			return Mono.fromSupplier(() -> ResponseEntity.ok()
				.contentType(MediaType.IMAGE_JPEG)
				.body(new byte[] { 'a', 'b', (byte) next("bytes") }));
		}

		@PostMapping("/redirect")
		Mono<ResponseEntity<Void>> redirect() {
			return Mono.fromSupplier(
					() -> ResponseEntity.status(302).location(URI.create("/runs/" + next("redirect"))).build());
		}

	}

}
