package io.github.lockstarter.autoconfigure;

import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;

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
import reactor.core.publisher.Mono;

import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A body is compared up to a limit, and a larger one is rejected.
 */
@ParameterizedClass
@ValueSource(strings = { "servlet", "reactive" })
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LargeRequestsTests {

	private static final String UPLOAD = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n%s\r\n--b--\r\n";

	@Parameter
	String type;

	private final HttpClient client = HttpClient.newHttpClient();

	private TestServer server;

	private String key;

	@BeforeParameterizedClassInvocation
	void start() {
		this.server = TestServer.start(new Class<?>[] { TestServer.Application.class, Handlers.class },
				"lock.store=memory", "lock.replay.max-request-size=1KB",
				"spring.main.web-application-type=" + this.type);
	}

	@AfterParameterizedClassInvocation
	void stop() {
		this.server.close();
	}

	@BeforeEach
	void newKey() {
		this.key = UUID.randomUUID().toString();
		Handlers.runs = 0;
	}

	@ParameterizedTest
	@CsvSource({ "/text, text/plain, false", "/text, text/plain, true", "/late, text/plain, false",
			"/late, text/plain, true", "/not-read, text/plain, false", "/not-read, text/plain, true",
			"/text, application/json, true" })
	@DisplayName("A body that is too large is rejected before the handler runs, whether its length is announced or not")
	void rejected(String path, String mediaType, boolean chunked) throws Exception {
		HttpResponse<String> rejected = post(path, mediaType, "a=" + "x".repeat(2000), chunked);
		assertThat(rejected.statusCode()).as(rejected.body()).isEqualTo(413);
		assertThat(rejected.body()).contains("/problems/request-too-large\"", "Send a smaller one");
		assertThat(rejected.headers().firstValue("Content-Type")).hasValue("application/problem+json");
		assertThat(Handlers.runs).isZero();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("A body of the largest size is compared")
	void largest(boolean chunked) throws Exception {
		assertThat(post("/text", "text/plain", "x".repeat(1024), chunked).body()).isEqualTo("run 1");
		assertThat(post("/text", "text/plain", "x".repeat(1024), chunked).body()).isEqualTo("run 1");
		assertThat(post("/text", "text/plain", "x".repeat(1023) + "y", chunked).statusCode()).isEqualTo(422);
	}

	@Test
	@DisplayName("Handlers without replay are not limited")
	void withoutReplay() throws Exception {
		assertThat(post("/unlimited", "text/plain", "x".repeat(5000), true).body()).isEqualTo("5000 characters");
	}

	@Test
	@DisplayName("In Spring MVC, an upload is compared whatever its size is, since its parts are not kept in memory")
	void upload() throws Exception {
		HttpResponse<String> first = upload("x".repeat(5000));
		if (this.type.equals("servlet")) {
			assertThat(first.body()).isEqualTo("run 1");
			assertThat(upload("x".repeat(5000)).body()).isEqualTo("run 1");
			assertThat(upload("x".repeat(4999) + "y").statusCode()).isEqualTo(422);
		}
		else {
			assertThat(first.statusCode()).isEqualTo(413);
		}
	}

	private HttpResponse<String> upload(String content) throws Exception {
		return post("/form", "multipart/form-data; boundary=b", UPLOAD.formatted(content), true);
	}

	private HttpResponse<String> post(String path, String mediaType, String body, boolean chunked) throws Exception {
		byte[] bytes = body.getBytes(StandardCharsets.US_ASCII);
		BodyPublisher content = chunked ? BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(bytes))
				: BodyPublishers.ofByteArray(bytes);
		return this.client.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + this.server.port() + path))
			.version(HttpClient.Version.HTTP_1_1)
			.timeout(Duration.ofMinutes(1))
			.POST(content)
			.headers("Idempotency-Key", this.key, "Content-Type", mediaType)
			.build(), HttpResponse.BodyHandlers.ofString());
	}

	@RestController
	static class Handlers {

		static int runs;

		private static Mono<String> run() {
			return Mono.fromSupplier(() -> "run " + ++runs);
		}

		@PostMapping("/text")
		@ExclusiveRequest(name = "requests", key = "header('Idempotency-Key')", replay = "1h")
		Mono<String> text(@RequestBody String body) {
			return run();
		}

		@PostMapping("/late")
		@ExclusiveRequest(name = "late", key = "#body.length()", replay = "1h")
		Mono<String> late(@RequestBody String body) {
			return run();
		}

		@PostMapping("/not-read")
		@ExclusiveRequest(name = "not-read", key = "header('Idempotency-Key')", replay = "1h")
		Mono<String> notRead() {
			return run();
		}

		@PostMapping("/form")
		@ExclusiveRequest(name = "form", key = "header('Idempotency-Key')", replay = "1h")
		Mono<String> form(@ModelAttribute Form form) {
			return run();
		}

		@PostMapping("/unlimited")
		Mono<String> unlimited(@RequestBody String body) {
			return Mono.just(body.length() + " characters");
		}

	}

	static class Form {

		private String a;

		public String getA() {
			return this.a;
		}

		public void setA(String a) {
			this.a = a;
		}

	}

}
