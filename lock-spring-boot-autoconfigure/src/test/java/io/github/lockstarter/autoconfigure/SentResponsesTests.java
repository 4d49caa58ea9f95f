package io.github.lockstarter.autoconfigure;

import java.math.BigDecimal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.JsonView;
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
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.ser.std.StdSerializer;

import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.FileSystemResource;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.testing.RawRequest;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A duplicate, and a request that waits for the response of another one, get the response
 * that was sent, whatever its value would be if it was read back.
 */
@ParameterizedClass
@ValueSource(strings = { "servlet", "reactive" })
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SentResponsesTests {

	private static final List<String> CONTENT_HEADERS = List.of("content-type", "content-disposition",
			"content-language", "content-security-policy", "x-content-type-options", "cache-control", "vary",
			"location", "etag", "link");

	@Parameter
	String type;

	private TestServer server;

	private Runs runs;

	private String key;

	@BeforeParameterizedClassInvocation
	void start() {
		this.server = TestServer.start(
				new Class<?>[] { TestServer.Application.class, Runs.class, Payments.class, Shared.class },
				"lock.store=memory", "server.compression.enabled=true",
				"spring.main.web-application-type=" + this.type);
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

	@ParameterizedTest
	@ValueSource(strings = { "/read-only", "/write-only", "/view", "/templated", "/unwrapped", "/creator", "/subclass",
			"/undeclared", "/wildcard", "/map", "/bytes", "/text", "/download", "/resource", "/not-modified-later",
			"/stream", "/empty", "/nothing", "/accepted", "/elsewhere" })
	@DisplayName("A duplicate gets equal bytes, and the headers that describe them")
	void duplicate(String path) throws Exception {
		this.runs.job(this.key, 1).finish();
		HttpResponse<String> first = post(path);
		assertThat(first.statusCode()).isBetween(200, 399);
		HttpResponse<String> again = post(path);
		assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
		assertSame(first, again);
		assertThat(this.runs.count(this.key)).isEqualTo(1);
	}

	@ParameterizedTest
	@CsvSource({ "/large/bytes, 70000", "/large/bytes, 9000", "/large/text, 70000", "/large/text, 9000",
			"/large/file, 70000", "/large/file, 9000", "/large/stream, 70000", "/large/bytes, 49152",
			"/large/bytes, 8192" })
	@DisplayName("A client gets a large response whole, and its duplicate gets it as well or is rejected")
	void large(String path, int size) throws Exception {
		String query = path + "?size=" + size + "&run=" + this.key;
		HttpResponse<String> first = this.server.post(query, "Idempotency-Key", this.key);
		assertThat(first.statusCode()).isEqualTo(200);
		assertThat(first.body().replaceAll("[^x]", "")).hasSize(size);
		HttpResponse<String> again = Awaitility.await()
			.until(() -> this.server.post(query, "Idempotency-Key", this.key),
					(each) -> !each.body().contains("in-progress"));
		assertThat(again.statusCode()).isEqualTo((size > 60000) ? 409 : 200);
		if (size < 60000) {
			assertSame(first, again);
		}
		assertThat(this.runs.count(this.key)).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/shared/read-only", "/shared/wildcard", "/shared/stream", "/shared/download" })
	@DisplayName("A request that waits for the response of another one gets equal bytes, too")
	void shared(String path) throws Exception {
		CompletableFuture<HttpResponse<String>> first = this.server.postAsync(path + "?run=" + this.key);
		this.runs.job(this.key, 1).awaitBegun();
		CompletableFuture<HttpResponse<String>> second = this.server.postAsync(path + "?run=" + this.key);
		Awaitility.await().until(() -> new GuardedHandlers(this.server).waiters() == 1);
		this.runs.job(this.key, 1).finish();
		assertThat(second.get().headers().firstValue("Idempotent-Replayed")).hasValue("true");
		assertSame(first.get(), second.get());
		assertThat(this.runs.count(this.key)).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/large/text", "/large/stream", "/large/file" })
	@DisplayName("A response that the container compresses is stored as it was before")
	void compressed(String path) throws Exception {
		String query = path + "?size=9100&run=" + this.key;
		HttpResponse<String> first = this.server.post(query, "Idempotency-Key", this.key, "Accept-Encoding", "gzip");
		HttpResponse<String> again = Awaitility.await()
			.until(() -> this.server.post(query, "Idempotency-Key", this.key),
					(each) -> !each.body().contains("in-progress"));
		if (!path.equals("/large/file")) {
			assertThat(first.headers().firstValue("Content-Encoding")).hasValue("gzip");
		}
		assertThat(again.headers().firstValue("Content-Encoding")).isEmpty();
		assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
		assertThat(again.body().replaceAll("[^x]", "")).hasSize(9100);
	}

	@Test
	@DisplayName("A part of a resource is not the response to a request for the whole one")
	void range() throws Exception {
		HttpResponse<String> part = this.server.send("GET", "/resource-to-get?run=" + this.key, "Idempotency-Key",
				this.key, "Range", "bytes=0-3");
		assertThat(part.statusCode()).isEqualTo(206);
		HttpResponse<String> whole = this.server.send("GET", "/resource-to-get?run=" + this.key, "Idempotency-Key",
				this.key);
		assertThat(whole.statusCode()).isEqualTo(409);
		assertThat(whole.body()).contains("/problems/result-unavailable\"");
	}

	@Test
	@DisplayName("A location of the own host is stored without the host, which the first client may have chosen")
	void hostOfFirstClient() throws Exception {
		this.runs.job(this.key, 1).finish();
		try (RawRequest other = RawRequest.post(this.server.port(), "/own-location?run=" + this.key,
				"Idempotency-Key: " + this.key)) {
			assertThat(other.readResponse()).contains("http://localhost/orders/1?a=b#c");
		}
		assertThat(post("/own-location").headers().firstValue("Location")).hasValue("/orders/1?a=b#c");
	}

	private static void assertSame(HttpResponse<String> first, HttpResponse<String> again) {
		assertThat(again.statusCode()).isEqualTo(first.statusCode());
		assertThat(again.body()).isEqualTo(first.body());
		assertThat(contentHeaders(again)).isEqualTo(contentHeaders(first));
		assertThat(again.headers().map()).doesNotContainKeys("set-cookie", "x-other");
	}

	private static Map<String, List<String>> contentHeaders(HttpResponse<String> response) {
		Map<String, List<String>> headers = new TreeMap<>(response.headers().map());
		headers.keySet().retainAll(CONTENT_HEADERS);
		return headers;
	}

	private HttpResponse<String> post(String path) throws Exception {
		return this.server.post(path + "?run=" + this.key, "Idempotency-Key", this.key);
	}

	@RestController
	@ExclusiveRequest(name = "payments", key = "header('Idempotency-Key')", replay = "1h")
	static class Payments {

		private final Runs runs;

		Payments(Runs runs) {
			this.runs = runs;
		}

		private Mono<Payment> payment(String run) {
			return Mono.fromSupplier(() -> {
				Payment payment = new Payment();
				payment.id = (long) this.runs.next(run).number();
				payment.amount = new BigDecimal("10.50");
				payment.secret = "s";
				return payment;
			});
		}

		@PostMapping("/read-only")
		Mono<Payment> readOnly(@RequestParam String run) {
			return payment(run);
		}

		@PostMapping("/write-only")
		ResponseEntity<Payment> writeOnly(@RequestParam String run) {
			return ResponseEntity.ok(payment(run).block());
		}

		@PostMapping("/view")
		@JsonView(Public.class)
		Mono<Viewed> view(@RequestParam String run) {
			return payment(run).map((payment) -> new Viewed(payment.id, "internal"));
		}

		@PostMapping("/templated")
		Mono<Templated> templated(@RequestParam String run) {
			return payment(run).map((payment) -> new Templated("/orders/" + payment.id + "{?page}"));
		}

		@PostMapping("/unwrapped")
		Mono<Unwrapped> unwrapped(@RequestParam String run) {
			return payment(run).map(Unwrapped::new);
		}

		@PostMapping("/creator")
		Mono<Created> creator(@RequestParam String run) {
			return payment(run).map((payment) -> new Created(payment.id + " as text"));
		}

		@PostMapping("/subclass")
		Mono<Shape> subclass(@RequestParam String run) {
			return payment(run).map((payment) -> new Circle(payment.id));
		}

		@PostMapping("/undeclared")
		Mono<Object> undeclared(@RequestParam String run) {
			return payment(run).map((payment) -> payment);
		}

		@PostMapping("/wildcard")
		ResponseEntity<?> wildcard(@RequestParam String run) {
			return ResponseEntity.status(HttpStatus.CREATED).body(new Circle(payment(run).block().id));
		}

		@PostMapping("/map")
		Mono<Map<String, Object>> map(@RequestParam String run) {
			return payment(run).map((payment) -> Map.of("payment", payment));
		}

		@PostMapping("/bytes")
		Mono<byte[]> bytes(@RequestParam String run) {
			return payment(run).map((payment) -> new byte[] { 0, 1, (byte) 0xff, (byte) (long) payment.id });
		}

		@PostMapping(path = "/text", produces = "text/plain;charset=ISO-8859-1")
		Mono<String> text(@RequestParam String run) {
			return payment(run).map((payment) -> "dönë " + payment.id);
		}

		@PostMapping("/download")
		Mono<ResponseEntity<byte[]>> download(@RequestParam String run) {
			return payment(run).map((payment) -> ResponseEntity.ok()
				.contentType(MediaType.APPLICATION_PDF)
				.header("Content-Disposition", "attachment; filename=\"" + payment.id + ".pdf\"")
				.header("Content-Language", "de", "en")
				.header("Content-Security-Policy", "sandbox")
				.header("X-Content-Type-Options", "nosniff")
				.header("Cache-Control", "no-store")
				.header("Vary", "Accept-Language")
				.header("Set-Cookie", "a=b")
				.header("X-Other", "1")
				.body("pdf".getBytes(StandardCharsets.US_ASCII)));
		}

		@RequestMapping(path = "/resource-to-get", method = RequestMethod.GET)
		Mono<Resource> resourceToGet(@RequestParam String run) {
			return resource(run);
		}

		@PostMapping("/resource")
		Mono<Resource> resource(@RequestParam String run) {
			return payment(run).map(
					(payment) -> new ByteArrayResource(("resource " + payment.id).getBytes(StandardCharsets.US_ASCII)));
		}

		@PostMapping("/not-modified-later")
		Mono<ResponseEntity<Payment>> tagged(@RequestParam String run,
				@RequestHeader(name = "If-None-Match", required = false) String tag) {
			return payment(run).map((payment) -> ResponseEntity.ok().eTag("\"v" + payment.id + "\"").body(payment));
		}

		@PostMapping("/stream")
		Flux<Payment> stream(@RequestParam String run) {
			return payment(run).flatMapMany((payment) -> Flux.just(payment, payment, payment));
		}

		@PostMapping("/empty")
		Flux<Payment> empty(@RequestParam String run) {
			return payment(run).flatMapMany((payment) -> Flux.empty());
		}

		@PostMapping("/nothing")
		Mono<Void> nothing(@RequestParam String run) {
			return payment(run).then();
		}

		@PostMapping("/accepted")
		@ResponseStatus(HttpStatus.ACCEPTED)
		Mono<HttpEntity<Payment>> accepted(@RequestParam String run) {
			return payment(run).map(HttpEntity::new);
		}

		@PostMapping("/elsewhere")
		Mono<ResponseEntity<Void>> elsewhere(@RequestParam String run) {
			return payment(run).map((payment) -> ResponseEntity.status(HttpStatus.SEE_OTHER)
				.location(URI.create("https://pay.example/" + payment.id))
				.build());
		}

		@PostMapping("/large/bytes")
		Mono<byte[]> largeBytes(@RequestParam String run, @RequestParam int size) {
			return payment(run).map((payment) -> "x".repeat(size).getBytes(StandardCharsets.US_ASCII));
		}

		@PostMapping("/large/text")
		Mono<String> largeText(@RequestParam String run, @RequestParam int size) {
			return payment(run).map((payment) -> "x".repeat(size));
		}

		@PostMapping("/large/file")
		Mono<Resource> largeFile(@RequestParam String run, @RequestParam int size) {
			return payment(run).map((payment) -> {
				try {
					Path file = Files.createTempFile("large", ".txt");
					file.toFile().deleteOnExit();
					Files.writeString(file, "x".repeat(size));
					return new FileSystemResource(file);
				}
				catch (IOException ex) {
					throw new UncheckedIOException(ex);
				}
			});
		}

		@PostMapping("/large/stream")
		Flux<Map<String, String>> largeStream(@RequestParam String run, @RequestParam int size) {
			return payment(run)
				.flatMapMany((payment) -> Flux.range(0, 70).map((i) -> Map.of("a", "x".repeat(size / 70))));
		}

		@PostMapping("/own-location")
		Mono<ResponseEntity<Void>> ownLocation(@RequestParam String run, @RequestHeader("Host") String host) {
			return payment(run).map((payment) -> ResponseEntity
				.created(URI.create("http://" + host + "/orders/" + payment.id + "?a=b#c"))
				.build());
		}

	}

	@RestController
	@ExclusiveRequest(name = "shared", key = "#run", waitTime = "30s", onConflict = OnConflict.SHARE)
	static class Shared {

		private final Runs runs;

		Shared(Runs runs) {
			this.runs = runs;
		}

		private <T> Mono<T> work(String run, T value) {
			return Mono.defer(() -> Mono.fromFuture(this.runs.next(run).job().begin(), true).thenReturn(value));
		}

		@PostMapping("/shared/read-only")
		Mono<Payment> readOnly(@RequestParam String run) {
			Payment payment = new Payment();
			payment.id = 1L;
			return work(run, payment);
		}

		@PostMapping("/shared/wildcard")
		Mono<ResponseEntity<?>> wildcard(@RequestParam String run) {
			return work(run, ResponseEntity.status(HttpStatus.CREATED).body(new Circle(1)));
		}

		@PostMapping("/shared/stream")
		Flux<Payment> stream(@RequestParam String run) {
			return work(run, new Payment()).repeat(0);
		}

		@PostMapping("/shared/download")
		Mono<ResponseEntity<byte[]>> download(@RequestParam String run) {
			return work(run,
					ResponseEntity.ok()
						.header("Content-Disposition", "attachment; filename=\"a.pdf\"")
						.header("Cache-Control", "no-store")
						.body(new byte[] { 1 }));
		}

	}

	static class Payment {

		@JsonProperty(access = JsonProperty.Access.READ_ONLY)
		public Long id;

		public BigDecimal amount;

		@JsonProperty(access = JsonProperty.Access.WRITE_ONLY)
		public String secret;

	}

	interface Public {

	}

	record Viewed(@JsonView(Public.class) long id, String internal) {
	}

	/** Like a link, of which one property is calculated. */
	static class Templated {

		private final String href;

		Templated(String href) {
			this.href = href;
		}

		public String getHref() {
			return this.href;
		}

		@JsonInclude(JsonInclude.Include.NON_DEFAULT)
		public boolean isTemplated() {
			return this.href.contains("{");
		}

	}

	record Unwrapped(@JsonUnwrapped Payment payment) {
	}

	@JsonSerialize(using = CreatedWriter.class)
	static class Created {

		private final String text;

		@JsonCreator
		Created(@JsonProperty("text") String text) {
			this.text = text;
		}

	}

	/** Writes what the class does not read. */
	static class CreatedWriter extends StdSerializer<Created> {

		CreatedWriter() {
			super(Created.class);
		}

		@Override
		public void serialize(Created value, JsonGenerator generator, SerializationContext context) {
			generator.writeString(value.text);
		}

	}

	interface Shape {

	}

	record Circle(long radius) implements Shape {
	}

}
