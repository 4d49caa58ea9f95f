package io.github.lockstarter.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonProperty;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.awaitility.Awaitility;
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
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

import org.springframework.core.MethodParameter;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.MediaType;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.http.server.ServerHttpRequest;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyAdvice;

import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.RawRequest;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Work that has ended is not done again, although the response to its request is not
 * known, or is only for its client.
 */
@ParameterizedClass
@ValueSource(strings = { "servlet", "reactive" })
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class UnknownResponsesTests {

	private static final String REPLAYED = "Idempotent-Replayed";

	@Parameter
	String type;

	private TestServer server;

	private Runs runs;

	private String key;

	@BeforeParameterizedClassInvocation
	void start() {
		Stream<Class<?>> own = isServlet() ? Stream.of(Servlet.class, Pages.class, FailingOnce.class)
				: Stream.of(Reactive.class, Cancelled.class, NeverSent.class);
		this.server = TestServer.start(
				Stream.concat(Stream.of(TestServer.Application.class, Runs.class), own).toArray(Class<?>[]::new),
				"lock.store=memory", "spring.main.web-application-type=" + this.type,
				"spring.mvc.async.request-timeout=100ms", "server.servlet.session.cookie.name=SID");
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
	@CsvSource({ "/late, 200", "/late-and-lossy, 409" })
	@DisplayName("In Spring MVC, a request that has timed out leaves the value of its work; if that is not whole, its duplicate is rejected")
	void timedOut(String path, int status) throws Exception {
		if (!isServlet()) {
			return;
		}
		assertThat(post(path).statusCode()).isEqualTo(503);
		this.runs.job(this.key, 1).finish();
		assertNotDoneAgain(path, status, "{\"text\":\"1\"}");
	}

	@ParameterizedTest
	@CsvSource({ "/failing-once, 200", "/failing-always, 409" })
	@DisplayName("In Spring MVC, work whose value could not be written is not done again")
	void responseFailed(String path, int status) throws Exception {
		if (!isServlet()) {
			return;
		}
		assertThat(post(path).statusCode()).isEqualTo(500);
		assertNotDoneAgain(path, status, "{\"text\":\"1\"}");
	}

	@ParameterizedTest
	@CsvSource({ "/unsent, 200", "/unsent-and-lossy, 409" })
	@DisplayName("In WebFlux, a client that disconnects after the work leaves the value; if that is not whole, its duplicate is rejected")
	void disconnected(String path, int status) throws Exception {
		if (isServlet()) {
			return;
		}
		try (RawRequest first = RawRequest.post(this.server.port(), path + "?run=" + this.key,
				"Idempotency-Key: " + this.key, "X-Never-Sent: true")) {
			Awaitility.await().until(() -> this.runs.count(this.key) == 1);
		}
		assertNotDoneAgain(path, status, "{\"text\":\"1\"}");
	}

	@ParameterizedTest
	@CsvSource({ "/cancelled, 1", "/cancelled-values, 2" })
	@DisplayName("In WebFlux, work that its client cancelled by disconnecting is not done again if each end of it is kept, and otherwise is")
	void cancelled(String path, int runs) throws Exception {
		if (isServlet()) {
			return;
		}
		try (RawRequest first = RawRequest.post(this.server.port(), path + "?run=" + this.key,
				"Idempotency-Key: " + this.key)) {
			this.runs.job(this.key, 1).awaitBegun();
		}
		this.runs.job(this.key, 2).finish();
		HttpResponse<String> again = Awaitility.await()
			.until(() -> post(path), (each) -> !each.body().contains("in-progress"));
		assertThat(again.statusCode()).isEqualTo((runs == 1) ? 409 : 200);
		assertThat(this.runs.count(this.key)).isEqualTo(runs);
	}

	@Test
	@DisplayName("In Spring MVC, a page into which the container wrote the identifier of a session is not kept")
	void sessionInBody() throws Exception {
		if (!isServlet()) {
			return;
		}
		long before = this.server.context().getBean(LockCounts.class).get("pages", Event.NOT_WRITABLE);
		assertThat(post("/page").body()).contains(";SID=");
		HttpResponse<String> again = post("/page");
		assertThat(again.statusCode()).isEqualTo(409);
		assertThat(again.body()).contains("/problems/result-unavailable\"").doesNotContain("SID");
		assertThat(this.server.context().getBean(LockCounts.class).get("pages", Event.NOT_WRITABLE) - before).isOne();
		assertThat(this.runs.count(this.key)).isOne();
	}

	@ParameterizedTest
	@CsvSource({ "false, 200", "true, 409" })
	@DisplayName("In Spring MVC, a response that the handler's own thread completes is kept, unless it is the original one, and the lock is released")
	void completedByHandler(boolean original, int status) throws Exception {
		if (!isServlet()) {
			return;
		}
		String path = "/own-thread?original=" + original + "&run=" + this.key;
		assertThat(this.server.post(path, "Idempotency-Key", this.key).body()).isEqualTo("run 1");
		HttpResponse<String> again = Awaitility.await()
			.until(() -> this.server.post(path, "Idempotency-Key", this.key),
					(each) -> !each.body().contains("in-progress"));
		assertThat(again.statusCode()).isEqualTo(status);
		assertThat(again.body()).contains((status == 200) ? "run 1" : "/problems/result-unavailable\"");
		assertThat(this.runs.count(this.key)).isOne();
	}

	@Test
	@DisplayName("In Spring MVC, a redirect is kept without the identifier of a session, whatever its name")
	void sessionInLocation() throws Exception {
		if (!isServlet()) {
			return;
		}
		assertThat(post("/redirect").headers().firstValue("Location").orElseThrow()).contains(";SID=");
		HttpResponse<String> again = post("/redirect");
		assertThat(again.headers().firstValue("Location")).hasValue("/done?a=1");
		assertThat(again.headers().firstValue(REPLAYED)).hasValue("true");
		assertThat(this.runs.count(this.key)).isOne();
	}

	private void assertNotDoneAgain(String path, int status, String body) throws Exception {
		HttpResponse<String> again = Awaitility.await()
			.until(() -> post(path), (each) -> !each.body().contains("in-progress"));
		assertThat(again.statusCode()).isEqualTo(status);
		if (status == 200) {
			assertThat(again.body()).isEqualTo(body);
			assertThat(again.headers().firstValue(REPLAYED)).hasValue("true");
		}
		else {
			assertThat(again.body()).contains("/problems/result-unavailable\"");
		}
		assertThat(this.runs.count(this.key)).isOne();
	}

	private HttpResponse<String> post(String path) throws Exception {
		return this.server.post(path + "?run=" + this.key, "Idempotency-Key", this.key);
	}

	record Receipt(String text) {
	}

	/** Does not read back what it writes. */
	static class Lossy {

		@JsonProperty(access = JsonProperty.Access.READ_ONLY)
		public String text;

		Lossy(String text) {
			this.text = text;
		}

	}

	@RestController
	@ExclusiveRequest(name = "servlet", key = "header('Idempotency-Key')", replay = "1h")
	static class Servlet {

		private final Runs runs;

		Servlet(Runs runs) {
			this.runs = runs;
		}

		@PostMapping("/late")
		CompletableFuture<Receipt> late(@RequestParam String run) {
			Runs.Run next = this.runs.next(run);
			return next.job().begin().thenApply((done) -> new Receipt("" + next.number()));
		}

		@PostMapping("/late-and-lossy")
		CompletableFuture<Lossy> lateAndLossy(@RequestParam String run) {
			return late(run).thenApply((receipt) -> new Lossy(receipt.text()));
		}

		@PostMapping("/failing-once")
		Receipt failingOnce(@RequestParam String run) {
			return new Receipt("" + this.runs.next(run).number());
		}

		@PostMapping("/failing-always")
		Lossy failingAlways(@RequestParam String run) {
			return new Lossy("" + this.runs.next(run).number());
		}

	}

	@ControllerAdvice
	static class FailingOnce implements ResponseBodyAdvice<Object> {

		@Override
		public boolean supports(MethodParameter returnType, Class<? extends HttpMessageConverter<?>> converterType) {
			return returnType.getMethod().getName().startsWith("failing");
		}

		@Override
		public @Nullable Object beforeBodyWrite(@Nullable Object body, MethodParameter returnType,
				MediaType contentType, Class<? extends HttpMessageConverter<?>> converter, ServerHttpRequest request,
				ServerHttpResponse response) {
			if (!response.getHeaders().containsHeader(REPLAYED)) {
				throw new IllegalStateException("as asked");
			}
			return body;
		}

	}

	@Controller
	@ExclusiveRequest(name = "pages", key = "header('Idempotency-Key')", replay = "1h")
	static class Pages {

		private final Runs runs;

		Pages(Runs runs) {
			this.runs = runs;
		}

		@PostMapping("/page")
		void page(@RequestParam String run, HttpServletRequest request, HttpServletResponse response) throws Exception {
			this.runs.next(run);
			request.getSession();
			response.getWriter().print("<a href='" + response.encodeURL("/next") + "'>");
		}

		@PostMapping("/own-thread")
		void ownThread(@RequestParam String run, @RequestParam boolean original, HttpServletRequest request,
				HttpServletResponse response) {
			AsyncContext context = original ? request.startAsync() : request.startAsync(request, response);
			Thread thread = new Thread(() -> {
				try {
					context.getResponse().getWriter().print("run " + this.runs.next(run).number());
				}
				catch (IOException ex) {
					throw new UncheckedIOException(ex);
				}
				context.complete();
			});
			thread.setDaemon(true);
			thread.start();
		}

		@PostMapping("/redirect")
		String redirect(@RequestParam String run, HttpServletRequest request) {
			this.runs.next(run);
			request.getSession();
			return "redirect:/done?a=1";
		}

	}

	@RestController
	@ExclusiveRequest(name = "reactive", key = "header('Idempotency-Key')", replay = "1h")
	static class Reactive {

		private final Runs runs;

		Reactive(Runs runs) {
			this.runs = runs;
		}

		@PostMapping("/unsent")
		Mono<Receipt> unsent(@RequestParam String run) {
			return Mono.fromSupplier(() -> new Receipt("" + this.runs.next(run).number()));
		}

		@PostMapping("/unsent-and-lossy")
		Mono<Lossy> unsentAndLossy(@RequestParam String run) {
			return unsent(run).map((receipt) -> new Lossy(receipt.text()));
		}

	}

	@RestController
	static class Cancelled {

		private final Runs runs;

		Cancelled(Runs runs) {
			this.runs = runs;
		}

		@PostMapping("/cancelled")
		@ExclusiveRequest(name = "cancelled", key = "header('Idempotency-Key')", replay = "1h", keep = "all")
		Mono<Receipt> cancelled(@RequestParam String run) {
			return Mono.defer(() -> Mono.fromFuture(this.runs.next(run).job().begin()).map(Receipt::new));
		}

		@PostMapping("/cancelled-values")
		@ExclusiveRequest(name = "cancelled", key = "header('Idempotency-Key')", replay = "1h")
		Mono<Receipt> cancelledValues(@RequestParam String run) {
			return cancelled(run);
		}

	}

	/** Never sends the response to a request that asks for it. */
	static class NeverSent implements WebFilter {

		@Override
		public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
			if (!exchange.getRequest().getHeaders().containsHeader("X-Never-Sent")) {
				return chain.filter(exchange);
			}
			return chain.filter(exchange.mutate().response(new ServerHttpResponseDecorator(exchange.getResponse()) {

				@Override
				public Mono<Void> writeWith(Publisher<? extends DataBuffer> body) {
					return Mono.never();
				}

			}).build());
		}

	}

}
