package io.github.lockstarter.autoconfigure;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import com.fasterxml.jackson.annotation.JsonBackReference;
import com.fasterxml.jackson.annotation.JsonManagedReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.CookieValue;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A request is a repetition of another one if its client has sent the same, whatever the
 * application makes of it.
 */
@ParameterizedClass
@ValueSource(strings = { "servlet", "reactive" })
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(OutputCaptureExtension.class)
class ComparedRequestsTests {

	private static final String BOUNDARY = "--%1$s\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\n%2$s\r\n--%1$s\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nhello\r\n--%1$s--\r\n";

	@Parameter
	String type;

	private final HttpClient client = HttpClient.newHttpClient();

	private TestServer server;

	private String key;

	@BeforeParameterizedClassInvocation
	void start() {
		Class<?> own = this.type.equals("servlet") ? Forwarding.class : Attributes.class;
		this.server = TestServer.start(
				new Class<?>[] { TestServer.Application.class, Handlers.class, Inner.class, own }, "lock.store=memory",
				"lock.replay.fingerprint-key=0123456789abcdef", "server.servlet.session.cookie.name=SID",
				"tracked=source", "spring.main.web-application-type=" + this.type);
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
	@ValueSource(strings = { "/cut-by-annotations", "/cut-and-waiting" })
	@DisplayName("A body that annotations cut is compared as it was sent")
	void bodyCutByAnnotations(String path) throws Exception {
		String body = "{\"items\":[{\"name\":\"a\"}]}";
		assertRepeated(() -> json(path, body), () -> json(path, "{ \"items\" : [ { \"name\" : \"a\" } ] }"));
		assertOther(json(path, "{\"items\":[{\"name\":\"b\"}]}"));
	}

	@Test
	@DisplayName("Headers, cookies and what they are bound to are not compared")
	void headers() throws Exception {
		assertRepeated(() -> post("/headers", "a", "traceparent", "1", "Cookie", "seen=1"),
				() -> post("/headers", "a", "traceparent", "2", "Cookie", "seen=2"));
		assertOther(post("/headers", "b", "traceparent", "2", "Cookie", "seen=2"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "/not-read", "/text", "/stream" })
	@DisplayName("A body is compared whether the handler reads it, or not, or later")
	void body(String path) throws Exception {
		assertRepeated(() -> post(path, "content"), () -> post(path, "content"));
		assertOther(post(path, "other content"));
		assertOther(post(path, ""));
		assertOther(post(path + "?a=1", "content"));
		assertOther(send("PUT", path, "content"));
	}

	@Test
	@DisplayName("In Spring MVC, a request that another handler forwards is compared")
	void forwarded() throws Exception {
		if (this.type.equals("servlet")) {
			assertRepeated(() -> post("/forwarding", "content"), () -> post("/forwarding", "content"));
			assertOther(post("/forwarding", "other content"));
		}
	}

	@Test
	@DisplayName("In Spring MVC, a handler that another one calls compares its arguments, and not the request")
	void nested() throws Exception {
		if (this.type.equals("servlet")) {
			assertThat(post("/nested?first=a&second=a", "").body()).isEqualTo("run 1, run 1");
			assertOther(post("/nested?first=b&second=c", ""));
		}
	}

	@Test
	@DisplayName("In WebFlux, a request still shares its attributes with its exchange")
	void attributes() throws Exception {
		if (this.type.equals("reactive")) {
			assertThat(post("/attributes", "").body()).isEqualTo("marked");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "/matrix/42;region=eu;a=1,2", "/matrix/42;region=eu;a=1;a=2", "/matrix/42;a=1,2;region=eu",
			"/matrix/42;a=1,2;region=e%75", "/matrix/42;a=1,2;region=eu;jsessionid=1",
			"/matrix;JSESSIONID=2/42;region=eu;a=1,2" })
	@DisplayName("Matrix parameters are compared without the order of their names, and without the identifier of a session")
	void matrix(String again) throws Exception {
		assertRepeated(() -> post("/matrix/42;region=eu;a=1,2", "a"), () -> post(again, "a"));
		for (String other : List.of("/matrix/42", "/matrix/42;region=us;a=1,2", "/matrix/42;region=eu;a=2,1",
				"/matrix/42;region=eu;a=1,2;b", "/matrix;region=eu;a=1,2/42", "/matrix/42;region=eu,a=1,2",
				"/matrix/42?region=eu&a=1&a=2")) {
			assertOther(post(other, "a"));
		}
	}

	@Test
	@DisplayName("In Spring MVC, the identifier of a session has the name that the application chose")
	void nameOfSession() throws Exception {
		if (this.type.equals("servlet")) {
			assertRepeated(() -> post("/matrix/42;SID=1", "a"), () -> post("/matrix/42", "a"));
		}
	}

	@Test
	@DisplayName("A form is compared without the order of its names")
	void form() throws Exception {
		assertRepeated(() -> formPost("a=1&b=2&a=3"), () -> formPost("b=2&a=1&a=3"));
		assertOther(formPost("b=2&a=3&a=1"));
	}

	@Test
	@DisplayName("A multipart body is compared without its boundary")
	void multipart() throws Exception {
		assertRepeated(() -> multipartPost("first", "text"), () -> multipartPost("second", "text"));
		assertOther(multipartPost("first", "another text"));
	}

	@Test
	@DisplayName("Parts that the annotation leaves out may differ, and headers that it adds may not")
	void chosenParts() throws Exception {
		assertRepeated(() -> json("/chosen?trace=1", "{\"a\":1,\"sentAt\":1}", "X-Tenant", "a"),
				() -> json("/chosen?trace=2", "{\"a\":1,\"sentAt\":2}", "X-Tenant", "a"));
		assertOther(json("/chosen", "{\"a\":1,\"sentAt\":1}", "X-Tenant", "b"));
		assertOther(json("/chosen", "{\"a\":2,\"sentAt\":1}", "X-Tenant", "a"));
		assertOther(json("/chosen", "{\"a\":1,\"sentAt\":1}", "X-Tenant", "a", "X-Tenant", "b"));
	}

	@Test
	@DisplayName("All lines of a header count, and a part may come from a property")
	void allLines() throws Exception {
		assertRepeated(() -> json("/chosen", "{\"a\":1}", "X-Tenant", "a", "X-Tenant", "b"),
				() -> json("/chosen?trace=1&source=1", "{\"a\":1}", "X-Tenant", "a", "X-Tenant", "b"));
		assertOther(json("/chosen", "{\"a\":1}", "X-Tenant", "a", "X-Tenant", "c"));
		assertOther(json("/chosen", "{\"a\":1}", "X-Tenant", "b", "X-Tenant", "a"));
		assertOther(json("/chosen", "{\"a\":1}", "X-Tenant", "a"));
	}

	@Test
	@DisplayName("A request without a principal gets only responses to requests with the same credentials, and a warning says so")
	void credentials(CapturedOutput output) throws Exception {
		assertRepeated(() -> post("/text", "a", "Authorization", "Bearer alice"),
				() -> post("/text", "a", "Authorization", "Bearer alice"));
		assertOther(post("/text", "a", "Authorization", "Bearer bob"));
		assertOther(post("/text", "a", "Authorization", "Bearer alice", "Authorization", "Bearer bob"));
		assertOther(post("/text", "a"));
		assertThat(output).contains("A request under lock 'requests' carries credentials, but has no principal")
			.doesNotContain("Bearer alice");
	}

	@Test
	@DisplayName("A failed HEAD request is not the response to a GET request, and the response to a GET request is that to a HEAD request")
	void head() throws Exception {
		assertThat(send("HEAD", "/failing", "").statusCode()).isEqualTo(402);
		HttpResponse<String> get = send("GET", "/failing", "");
		assertThat(get.body()).isEqualTo("run 2");
		assertThat(get.headers().firstValue("Idempotent-Replayed")).isEmpty();
		HttpResponse<String> head = send("HEAD", "/failing", "");
		assertThat(head.statusCode()).isEqualTo(402);
		assertThat(head.headers().firstValue("Idempotent-Replayed")).hasValue("true");
	}

	private interface Request {

		HttpResponse<String> send() throws Exception;

	}

	private void assertRepeated(Request first, Request again) throws Exception {
		HttpResponse<String> response = first.send();
		assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
		assertThat(response.headers().firstValue("Idempotent-Replayed")).isEmpty();
		HttpResponse<String> repeated = again.send();
		assertThat(repeated.statusCode()).as(repeated.body()).isEqualTo(200);
		assertThat(repeated.body()).isEqualTo(response.body());
		assertThat(repeated.headers().firstValue("Idempotent-Replayed")).hasValue("true");
	}

	private static void assertOther(HttpResponse<String> response) {
		assertThat(response.statusCode()).as(response.body()).isEqualTo(422);
	}

	private HttpResponse<String> json(String path, String body, String... headers) throws Exception {
		return post(path, body, with(headers, "Content-Type", "application/json"));
	}

	private HttpResponse<String> formPost(String body) throws Exception {
		return post("/form", body, "Content-Type", "application/x-www-form-urlencoded");
	}

	private HttpResponse<String> multipartPost(String boundary, String text) throws Exception {
		return post("/multipart", BOUNDARY.formatted(boundary, text), "Content-Type",
				"multipart/form-data; boundary=" + boundary);
	}

	private HttpResponse<String> post(String path, String body, String... headers) throws Exception {
		return send("POST", path, body, headers);
	}

	private HttpResponse<String> send(String method, String path, String body, String... headers) throws Exception {
		HttpRequest.BodyPublisher content = body.isEmpty() ? HttpRequest.BodyPublishers.noBody()
				: HttpRequest.BodyPublishers.ofString(body, StandardCharsets.UTF_8);
		return this.client.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + this.server.port() + path))
			.timeout(Duration.ofMinutes(1))
			.method(method, content)
			.headers(with(headers, "Idempotency-Key", this.key))
			.build(), HttpResponse.BodyHandlers.ofString());
	}

	private static String[] with(String[] headers, String... more) {
		List<String> all = new ArrayList<>(Arrays.asList(headers));
		all.addAll(Arrays.asList(more));
		return all.toArray(String[]::new);
	}

	static class Order {

		@JsonManagedReference
		public List<Item> items;

	}

	static class Item {

		public String name;

		@JsonBackReference
		public Order order;

	}

	@RestController
	@ExclusiveRequest(name = "requests", key = "header('Idempotency-Key')", replay = "1h")
	static class Handlers {

		static int runs;

		private static Mono<String> run() {
			return Mono.fromSupplier(() -> "run " + ++runs);
		}

		@PostMapping("/cut-by-annotations")
		Mono<String> cutByAnnotations(@RequestBody Order order) {
			return run();
		}

		@PostMapping("/cut-and-waiting")
		@ExclusiveRequest(name = "requests", key = "header('Idempotency-Key')", replay = "1h",
				onConflict = OnConflict.WAIT)
		Mono<String> cutAndWaiting(@RequestBody Order order) {
			return run();
		}

		@PostMapping("/headers")
		Mono<String> headers(@RequestHeader Map<String, String> headers, @CookieValue String seen,
				@RequestBody String body) {
			return run();
		}

		@RequestMapping(path = "/not-read", method = { RequestMethod.POST, RequestMethod.PUT })
		Mono<String> notRead() {
			return run();
		}

		@RequestMapping(path = "/text", method = { RequestMethod.POST, RequestMethod.PUT })
		Mono<String> text(@RequestBody(required = false) String body) {
			return run();
		}

		@RequestMapping(path = "/stream", method = { RequestMethod.POST, RequestMethod.PUT })
		Mono<String> stream(@RequestBody(required = false) Resource body) {
			return run();
		}

		@PostMapping("/matrix/{id}")
		Mono<String> matrix(@PathVariable String id) {
			return run();
		}

		@PostMapping("/form")
		Mono<String> form(@ModelAttribute Note note) {
			return run();
		}

		@PostMapping("/multipart")
		Mono<String> multipart(@ModelAttribute Note note) {
			return run();
		}

		@PostMapping("/chosen")
		@ExclusiveRequest(name = "chosen", key = "header('Idempotency-Key')", replay = "1h",
				fingerprint = { "-param.trace", "-param.${tracked:none}", "-/sentAt", "+header.X-Tenant" })
		Mono<String> chosen(@RequestBody Map<String, Object> body) {
			return run();
		}

		@RequestMapping(path = "/failing", method = RequestMethod.GET)
		@ExclusiveRequest(name = "failing", key = "header('Idempotency-Key')", replay = "1h", keep = "all")
		Mono<ResponseEntity<String>> failing() {
			return run().map((text) -> ResponseEntity.status(HttpStatus.PAYMENT_REQUIRED).body(text));
		}

	}

	@RestController
	static class Inner {

		@PostMapping("/inner")
		@ExclusiveRequest(name = "inner", key = "#key", replay = "1h")
		ResponseEntity<String> inner(@RequestParam String key, @RequestParam String text) {
			return ResponseEntity.ok("run " + ++Handlers.runs);
		}

	}

	@Controller
	static class Forwarding {

		private final Inner inner;

		Forwarding(Inner inner) {
			this.inner = inner;
		}

		@PostMapping("/forwarding")
		String forwarding() {
			return "forward:/text";
		}

		@PostMapping("/nested")
		@ResponseBody
		String nested(@RequestParam String first, @RequestParam String second) {
			return this.inner.inner("key of " + first, first).getBody() + ", "
					+ this.inner.inner("key of " + first, second).getBody();
		}

	}

	@RestController
	static class Attributes {

		@PostMapping("/attributes")
		Mono<String> attributes(ServerWebExchange exchange) {
			exchange.getRequest().getAttributes().put("mark", "marked");
			return Mono.justOrEmpty((String) exchange.getAttribute("mark"));
		}

	}

	static class Note {

		private String note;

		public String getNote() {
			return this.note;
		}

		public void setNote(String note) {
			this.note = note;
		}

	}

}
