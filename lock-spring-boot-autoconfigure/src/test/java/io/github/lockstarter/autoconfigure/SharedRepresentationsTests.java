package io.github.lockstarter.autoconfigure;

import java.net.http.HttpResponse;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

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
import reactor.core.publisher.Mono;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A request that waits for the response of another one gets it only if it asked for the
 * same representation.
 */
@ParameterizedClass
@ValueSource(strings = { "servlet", "reactive" })
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SharedRepresentationsTests {

	@Parameter
	String type;

	private TestServer server;

	private Runs runs;

	private String key;

	@BeforeParameterizedClassInvocation
	void start() {
		this.server = TestServer.start(new Class<?>[] { TestServer.Application.class, Runs.class, Reports.class },
				"lock.store=memory", "spring.main.web-application-type=" + this.type);
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
	@CsvSource({ "application/json, application/json", "application/json;text/plain, application/json;text/plain" })
	@DisplayName("Requests that accept the same media types share a response")
	void same(String first, String second) throws Exception {
		CompletableFuture<HttpResponse<String>> running = request("GET", first.split(";"));
		this.runs.job(this.key, 1).awaitBegun();
		CompletableFuture<HttpResponse<String>> waiting = request("GET", second.split(";"));
		awaitWaiter();
		this.runs.job(this.key, 1).finish();
		assertOwn(running.get(), 1);
		assertShared(waiting.get(), "report 1");
	}

	@ParameterizedTest
	@CsvSource({ "application/json, text/plain, text/plain", "text/plain, application/json, application/json",
			"application/json, application/json;text/plain, application/json",
			"application/json;text/plain, application/json, application/json" })
	@DisplayName("A request that accepts other media types runs itself")
	void other(String first, String second, String mediaType) throws Exception {
		CompletableFuture<HttpResponse<String>> running = request("GET", first.split(";"));
		this.runs.job(this.key, 1).awaitBegun();
		CompletableFuture<HttpResponse<String>> waiting = request("GET", second.split(";"));
		awaitWaiter();
		this.runs.job(this.key, 1).finish();
		this.runs.job(this.key, 2).finish();
		assertOwn(running.get(), 1);
		assertOwn(waiting.get(), 2);
		assertThat(waiting.get().headers().firstValue("Content-Type").orElseThrow()).startsWith(mediaType);
	}

	@Test
	@DisplayName("A GET request does not get the response to a HEAD request, which has no body")
	void getAfterHead() throws Exception {
		CompletableFuture<HttpResponse<String>> running = request("HEAD", "text/plain");
		this.runs.job(this.key, 1).awaitBegun();
		CompletableFuture<HttpResponse<String>> waiting = request("GET", "text/plain");
		awaitWaiter();
		this.runs.job(this.key, 1).finish();
		this.runs.job(this.key, 2).finish();
		assertThat(running.get().statusCode()).isEqualTo(200);
		assertThat(running.get().body()).isEmpty();
		assertOwn(waiting.get(), 2);
	}

	@Test
	@DisplayName("A HEAD request gets the response to a GET request, without its body")
	void headAfterGet() throws Exception {
		CompletableFuture<HttpResponse<String>> running = request("GET", "text/plain");
		this.runs.job(this.key, 1).awaitBegun();
		CompletableFuture<HttpResponse<String>> waiting = request("HEAD", "text/plain");
		awaitWaiter();
		this.runs.job(this.key, 1).finish();
		assertOwn(running.get(), 1);
		assertShared(waiting.get(), "");
	}

	private static void assertOwn(HttpResponse<String> response, int run) {
		assertThat(response.statusCode()).isEqualTo(200);
		assertThat(response.body()).isEqualTo("report " + run);
		assertThat(response.headers().firstValue("Idempotent-Replayed")).isEmpty();
	}

	private static void assertShared(HttpResponse<String> response, String body) {
		assertThat(response.statusCode()).isEqualTo(200);
		assertThat(response.body()).isEqualTo(body);
		assertThat(response.headers().firstValue("Idempotent-Replayed")).hasValue("true");
	}

	private void awaitWaiter() {
		Awaitility.await().until(() -> new GuardedHandlers(this.server).waiters() == 1);
	}

	private CompletableFuture<HttpResponse<String>> request(String method, String... accepted) {
		String[] headers = new String[2 * accepted.length];
		for (int i = 0; i < accepted.length; i++) {
			headers[2 * i] = "Accept";
			headers[2 * i + 1] = accepted[i];
		}
		CompletableFuture<HttpResponse<String>> response = new CompletableFuture<>();
		new Thread(() -> {
			try {
				response.complete(this.server.send(method, "/report?run=" + this.key, headers));
			}
			catch (Exception ex) {
				response.completeExceptionally(ex);
			}
		}).start();
		return response;
	}

	@RestController
	static class Reports {

		private final Runs runs;

		Reports(Runs runs) {
			this.runs = runs;
		}

		@GetMapping(path = "/report", produces = { "application/json", "text/plain" })
		@ExclusiveRequest(name = "reports", key = "#run", onConflict = OnConflict.SHARE)
		Mono<String> report(@RequestParam String run) {
			return Mono.defer(() -> {
				Runs.Run each = this.runs.next(run);
				return Mono.fromFuture(each.job().begin(), true).thenReturn("report " + each.number());
			});
		}

	}

}
