package io.github.lockstarter.autoconfigure;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
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

import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.util.MultiValueMap;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.RawRequest;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A form is compared by its parameters, whoever reads it, and in whatever way.
 */
@ParameterizedClass
@ValueSource(strings = { "servlet", "reactive" })
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ComparedFormsTests {

	@Parameter
	String type;

	private final HttpClient client = HttpClient.newHttpClient();

	private TestServer server;

	private String key;

	@BeforeParameterizedClassInvocation
	void start() {
		Class<?>[] own = this.type.equals("servlet") ? new Class<?>[] { ServletReader.class, ServletHandlers.class }
				: new Class<?>[] { ReactiveReader.class, ReactiveHandlers.class };
		this.server = TestServer.start(new Class<?>[] { TestServer.Application.class, Handlers.class, own[0], own[1] },
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
	@CsvSource({ "POST, /bound", "PUT, /bound", "PATCH, /bound", "POST, /not-read", "PUT, /not-read",
			"POST, /parameter", "PUT, /parameter", "POST, /raw" })
	@DisplayName("A form is compared without the order of its names, and with that of the values of a name")
	void order(String method, String path) throws Exception {
		HttpResponse<String> first = send(method, path, "a=1&b=%C3%A4+b&a=2", "nothing");
		assertThat(first.statusCode()).as(first.body()).isEqualTo(200);
		assertRepeated(first, send(method, path, "b=%c3%a4%20b&a=1&a=2", "nothing"));
		assertThat(send(method, path, "a=2&b=%C3%A4+b&a=1", "nothing").statusCode()).isEqualTo(422);
		assertThat(send(method, path, "a=1&b=%C3%A4+b&a=2&c=", "nothing").statusCode()).isEqualTo(422);
		assertThat(send(method, path + "?c=1", "a=1&b=%C3%A4+b&a=2", "nothing").statusCode()).isEqualTo(422);
	}

	@ParameterizedTest
	@CsvSource({ "POST, /bound", "PUT, /bound", "POST, /not-read", "PUT, /not-read", "PATCH, /not-read" })
	@DisplayName("It is the same form whether a filter has read nothing, its parameters, or its body")
	void readers(String method, String path) throws Exception {
		HttpResponse<String> first = send(method, path, "a=1&b=2", "nothing");
		assertThat(first.statusCode()).as(first.body()).isEqualTo(200);
		assertRepeated(first, send(method, path, "a=1&b=2", "parameters"));
		assertRepeated(first, send(method, path, "a=1&b=2", "body"));
	}

	@ParameterizedTest
	@CsvSource({ "POST, /raw, a=1&b=2", "POST, /parameter, 1", "PUT, /parameter, 1", "PATCH, /parameter, 1",
			"POST, /raw-then-parameter, a=1&b=2 1" })
	@DisplayName("A handler reads a form itself, although it has been compared")
	void itself(String method, String path, String read) throws Exception {
		assertThat(send(method, path, "a=1&b=2", "nothing").body()).isEqualTo("run 1 read " + read);
		assertThat(send(method, path, "a=1&b=2", "nothing").body()).isEqualTo("run 1 read " + read);
		assertThat(send(method, path, "a=1&b=3", "nothing").statusCode()).isEqualTo(422);
	}

	@ParameterizedTest
	@ValueSource(strings = { "a=%zz", "a=1&&b", "=1&a=%C3", "&", "a" })
	@DisplayName("A malformed form is compared as well")
	void malformed(String form) throws Exception {
		HttpResponse<String> first = send("POST", "/not-read", form, "nothing");
		assertThat(first.body()).isEqualTo("run 1");
		assertRepeated(first, send("POST", "/not-read", form, "nothing"));
		assertThat(send("POST", "/not-read", form + "x", "nothing").statusCode()).isEqualTo(422);
	}

	@ParameterizedTest
	@CsvSource({ "POST, /text", "PUT, /map", "POST, /map" })
	@DisplayName("In Spring MVC, a form that is bound as a body is compared in the same way")
	void boundAsBody(String method, String path) throws Exception {
		if (this.type.equals("servlet")) {
			order(method, path);
		}
	}

	@ParameterizedTest
	@CsvSource({ "/bound", "/parameter" })
	@DisplayName("In Spring MVC, reading the parameters of a malformed form is 400, which releases the key")
	void malformedParameters(String path) throws Exception {
		if (this.type.equals("servlet")) {
			HttpResponse<String> rejected = send("POST", path, "a=%zz", "nothing");
			assertThat(rejected.statusCode()).as(rejected.body()).isEqualTo(400);
			assertThat(send("POST", path, "a=1", "nothing").statusCode()).isEqualTo(200);
		}
	}

	@Test
	@DisplayName("A body that breaks off is the fault of its client")
	void brokenOff() throws Exception {
		if (this.type.equals("servlet")) {
			try (RawRequest request = RawRequest.post(this.server.port(), "/bound", "Idempotency-Key: " + this.key,
					"Content-Type: application/x-www-form-urlencoded", "Transfer-Encoding: chunked", "", "zz", "a=1")) {
				assertThat(request.readResponse()).startsWith("HTTP/1.1 400");
			}
			assertThat(Handlers.runs).isZero();
		}
	}

	@ParameterizedTest
	@CsvSource({ "POST, /bound", "PUT, /bound", "POST, /raw", "POST, /not-read" })
	@DisplayName("A form that is too large is rejected")
	void tooLarge(String method, String path) throws Exception {
		HttpResponse<String> rejected = send(method, path, "a=" + "x".repeat(2000), "nothing");
		assertThat(rejected.statusCode()).as(rejected.body()).isEqualTo(413);
		assertThat(Handlers.runs).isZero();
	}

	private static void assertRepeated(HttpResponse<String> first, HttpResponse<String> again) {
		assertThat(again.statusCode()).as(again.body()).isEqualTo(200);
		assertThat(again.body()).isEqualTo(first.body());
		assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
	}

	private HttpResponse<String> send(String method, String path, String form, String read) throws Exception {
		return this.client.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + this.server.port() + path))
			.timeout(Duration.ofMinutes(1))
			.method(method, BodyPublishers.ofString(form))
			.headers("Idempotency-Key", this.key, "Content-Type", "application/x-www-form-urlencoded", "X-Read", read)
			.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
	}

	@RestController
	@ExclusiveRequest(name = "forms", key = "header('Idempotency-Key')", replay = "1h")
	static class Handlers {

		static int runs;

		static Mono<String> run() {
			return Mono.fromSupplier(() -> "run " + ++runs);
		}

		@RequestMapping(path = "/bound", method = { RequestMethod.POST, RequestMethod.PUT, RequestMethod.PATCH })
		Mono<String> bound(@ModelAttribute Form form) {
			return run();
		}

		@RequestMapping(path = "/text", method = { RequestMethod.POST, RequestMethod.PUT })
		Mono<String> text(@RequestBody String form) {
			return run();
		}

		@RequestMapping(path = "/map", method = { RequestMethod.POST, RequestMethod.PUT })
		Mono<String> map(@RequestBody(required = false) MultiValueMap<String, String> form) {
			return run();
		}

		@RequestMapping(path = "/not-read", method = { RequestMethod.POST, RequestMethod.PUT, RequestMethod.PATCH })
		Mono<String> notRead() {
			return run();
		}

	}

	@RestController
	@ExclusiveRequest(name = "forms", key = "header('Idempotency-Key')", replay = "1h")
	static class ServletHandlers {

		@RequestMapping("/raw")
		String raw(HttpServletRequest request) throws IOException {
			return "run " + ++Handlers.runs + " read " + body(request);
		}

		@RequestMapping("/parameter")
		String parameter(HttpServletRequest request) {
			return "run " + ++Handlers.runs + " read " + request.getParameter("a");
		}

		@RequestMapping("/raw-then-parameter")
		String rawThenParameter(HttpServletRequest request) throws IOException {
			return "run " + ++Handlers.runs + " read " + body(request) + " " + request.getParameterMap().get("a")[0];
		}

		private static String body(HttpServletRequest request) throws IOException {
			return new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		}

	}

	@RestController
	@ExclusiveRequest(name = "forms", key = "header('Idempotency-Key')", replay = "1h")
	static class ReactiveHandlers {

		@RequestMapping("/raw")
		Mono<String> raw(ServerWebExchange exchange) {
			return body(exchange).map((body) -> "run " + ++Handlers.runs + " read " + body);
		}

		@RequestMapping("/parameter")
		Mono<String> parameter(ServerWebExchange exchange) {
			return exchange.getFormData().map((form) -> "run " + ++Handlers.runs + " read " + form.getFirst("a"));
		}

		@RequestMapping("/raw-then-parameter")
		Mono<String> rawThenParameter(ServerWebExchange exchange) {
			return body(exchange).flatMap((body) -> exchange.getFormData()
				.map((form) -> "run " + ++Handlers.runs + " read " + body + " " + form.getFirst("a")));
		}

		private static Mono<String> body(ServerWebExchange exchange) {
			return DataBufferUtils.join(exchange.getRequest().getBody()).map((buffer) -> {
				String text = buffer.toString(StandardCharsets.UTF_8);
				DataBufferUtils.release(buffer);
				return text;
			});
		}

	}

	/** Reads what the client wants to be read. */
	static class ServletReader extends OncePerRequestFilter {

		@Override
		protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
				throws ServletException, IOException {
			switch (String.valueOf(request.getHeader("X-Read"))) {
				case "parameters" -> request.getParameterMap();
				case "body" -> request.getInputStream().readAllBytes();
				default -> {
				}
			}
			chain.doFilter(request, response);
		}

	}

	/** Reads what the client wants to be read. */
	static class ReactiveReader implements WebFilter {

		@Override
		public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
			Mono<?> read = switch (String.valueOf(exchange.getRequest().getHeaders().getFirst("X-Read"))) {
				case "parameters" -> exchange.getFormData();
				case "body" -> exchange.getRequest().getBody().map(DataBufferUtils::release).then();
				default -> Mono.empty();
			};
			return read.then(chain.filter(exchange));
		}

	}

	static class Form {

		private @Nullable String a;

		public @Nullable String getA() {
			return this.a;
		}

		public void setA(@Nullable String a) {
			this.a = a;
		}

	}

}
