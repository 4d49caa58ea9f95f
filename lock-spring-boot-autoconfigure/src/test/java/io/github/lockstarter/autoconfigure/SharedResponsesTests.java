package io.github.lockstarter.autoconfigure;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
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
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.testing.RawRequest;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests that wait for a running request and get its response, in both web stacks.
 */
@ParameterizedClass
@ValueSource(strings = { "servlet", "reactive" })
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SharedResponsesTests {

	private static final String REPLAYED = "Idempotent-Replayed";

	private static final List<String> SHARED_HEADERS = List.of("Location", "ETag", "Link", "Content-Type");

	@Parameter
	String type;

	private TestServer server;

	private Runs runs;

	private String key;

	@BeforeParameterizedClassInvocation
	void start() {
		List<Class<?>> sources = new ArrayList<>(
				List.of(TestServer.Application.class, Runs.class, SharingHandlers.class));
		if (this.type.equals("servlet")) {
			sources.add(SharingServletHandlers.class);
		}
		this.server = TestServer.start(sources.toArray(Class<?>[]::new), "lock.store=memory",
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
	@MethodSource
	@DisplayName("Waiting requests get the response of the running request, and the method runs once")
	void shared(String handler) throws Exception {
		CompletableFuture<HttpResponse<String>> first = begin(handler);
		List<CompletableFuture<HttpResponse<String>>> others = List.of(post(handler), post(handler), post(handler));
		awaitWaiters(3);
		this.runs.job(this.key, 1).finish();
		HttpResponse<String> own = response(first);
		assertThat(own.statusCode()).isBetween(200, 299);
		assertThat(own.headers().firstValue(REPLAYED)).isEmpty();
		for (CompletableFuture<HttpResponse<String>> other : others) {
			HttpResponse<String> response = response(other);
			assertThat(response.headers().allValues(REPLAYED)).containsExactly("true");
			assertThat(response.statusCode()).isEqualTo(own.statusCode());
			assertThat(response.body()).isEqualTo(own.body());
			for (String header : SHARED_HEADERS) {
				assertThat(response.headers().allValues(header)).as(header).isEqualTo(own.headers().allValues(header));
			}
			assertThat(response.headers().map()).doesNotContainKeys("set-cookie", "x-other");
		}
		assertThat(this.runs.count(this.key)).isEqualTo(1);
		assertFree();
	}

	Stream<String> shared() {
		return ofStack(
				Stream
					.of("entity", "mono-entity", "mono-entity-record", "mono-entity-void", "mono", "mono-record",
							"mono-list", "mono-bytes", "mono-empty", "mono-void", "flux", "flux-empty")
					.map((handler) -> "/both/" + handler),
				Stream
					.of("value", "record", "map", "number", "bytes", "optional", "optional-empty", "void", "null",
							"status", "plain-entity", "future", "stage", "future-entity", "future-null", "future-void")
					.map((handler) -> "/servlet/" + handler));
	}

	private Stream<String> ofStack(Stream<String> both, Stream<String> servlet) {
		return this.type.equals("servlet") ? Stream.concat(both, servlet) : both;
	}

	@ParameterizedTest
	@MethodSource
	@DisplayName("After a failure the next waiter runs, and the others get its response")
	void failure(String handler) throws Exception {
		CompletableFuture<HttpResponse<String>> first = begin(handler);
		List<CompletableFuture<HttpResponse<String>>> others = List.of(post(handler), post(handler), post(handler));
		awaitWaiters(3);
		this.runs.job(this.key, 1).fail();
		if (handler.equals("/both/flux") && this.type.equals("reactive")) {
			// The response had begun.
			assertThat(first).failsWithin(10, TimeUnit.SECONDS);
		}
		else {
			assertThat(response(first).statusCode()).isEqualTo(500);
		}
		this.runs.job(this.key, 2).awaitBegun();
		awaitWaiters(2);
		this.runs.job(this.key, 2).finish();
		assertOneRan(others, 200, 201);
		assertThat(this.runs.count(this.key)).isEqualTo(2);
	}

	Stream<String> failure() {
		return ofStack(Stream.of("/both/mono", "/both/flux", "/both/entity", "/both/mono-entity"),
				Stream.of("/servlet/value", "/servlet/future"));
	}

	@Test
	@DisplayName("An unsuccessful response is not shared")
	void notSuccessful() throws Exception {
		CompletableFuture<HttpResponse<String>> first = begin("/both/not-found-first");
		List<CompletableFuture<HttpResponse<String>>> others = List.of(post("/both/not-found-first"),
				post("/both/not-found-first"));
		awaitWaiters(2);
		this.runs.job(this.key, 1).finish();
		HttpResponse<String> own = response(first);
		assertThat(own.statusCode()).isEqualTo(404);
		assertThat(own.headers().firstValue(REPLAYED)).isEmpty();
		this.runs.job(this.key, 2).awaitBegun();
		awaitWaiters(1);
		this.runs.job(this.key, 2).finish();
		assertOneRan(others, 201, 201);
		assertThat(this.runs.count(this.key)).isEqualTo(2);
	}

	@ParameterizedTest
	@ValueSource(strings = { "/both/mono", "/both/flux", "/both/mono-entity" })
	@DisplayName("A waiter that disconnects does not affect the others")
	void waiterDisconnects(String handler) throws Exception {
		CompletableFuture<HttpResponse<String>> first = begin(handler);
		try (RawRequest gone = RawRequest.post(this.server.port(), path(handler))) {
			awaitWaiters(1);
			CompletableFuture<HttpResponse<String>> other = post(handler);
			awaitWaiters(2);
			gone.reset();
			if (this.type.equals("reactive")) {
				awaitWaiters(1);
			}
			this.runs.job(this.key, 1).finish();
			HttpResponse<String> own = response(first);
			assertThat(response(other).body()).isEqualTo(own.body());
			assertThat(response(other).headers().firstValue(REPLAYED)).hasValue("true");
		}
		assertThat(this.runs.count(this.key)).isEqualTo(1);
		assertFree();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/both/mono", "/both/flux", "/both/mono-entity" })
	@DisplayName("When the running request's client disconnects, WebFlux cancels it and a waiter runs; in MVC its response is shared")
	void winnerDisconnects(String handler) throws Exception {
		try (RawRequest gone = RawRequest.post(this.server.port(), path(handler))) {
			this.runs.job(this.key, 1).awaitBegun();
			CompletableFuture<HttpResponse<String>> other = post(handler);
			awaitWaiters(1);
			gone.reset();
			int run = this.type.equals("reactive") ? 2 : 1;
			this.runs.job(this.key, run).awaitBegun();
			this.runs.job(this.key, run).finish();
			HttpResponse<String> response = response(other);
			assertThat(response.body()).contains("done " + run);
			assertThat(response.headers().firstValue(REPLAYED).isPresent()).isEqualTo(run == 1);
			assertThat(this.runs.count(this.key)).isEqualTo(run);
		}
		assertFree();
	}

	@Test
	@DisplayName("A waiter that times out is rejected, and the running request gets its response as usual")
	void waitTimesOut() throws Exception {
		CompletableFuture<HttpResponse<String>> first = begin("/both/mono");
		HttpResponse<String> rejected = response(post("/both/hasty"));
		assertThat(rejected.statusCode()).isEqualTo(409);
		assertThat(rejected.body()).contains("/wait-timeout");
		assertThat(rejected.headers().firstValue(REPLAYED)).isEmpty();
		this.runs.job(this.key, 1).finish();
		assertThat(response(first).body()).isEqualTo("done 1");
	}

	@Test
	@DisplayName("A later request runs, and contended requests and shared responses are counted")
	void laterAndCounts() throws Exception {
		LockCounts counts = this.server.context().getBean(LockCounts.class);
		CompletableFuture<HttpResponse<String>> first = begin("/both/counted");
		List<CompletableFuture<HttpResponse<String>>> others = List.of(post("/both/counted"), post("/both/counted"));
		awaitWaiters("counted", 2);
		this.runs.job(this.key, 1).finish();
		assertThat(response(first).body()).isEqualTo("done 1");
		for (CompletableFuture<HttpResponse<String>> other : others) {
			response(other);
		}
		this.runs.job(this.key, 2).finish();
		HttpResponse<String> later = response(post("/both/counted"));
		assertThat(later.body()).isEqualTo("done 2");
		assertThat(later.headers().firstValue(REPLAYED)).isEmpty();
		assertThat(counts.get("counted", Event.CONTENDED)).isEqualTo(2);
		assertThat(counts.get("counted", Event.SHARED)).isEqualTo(2);
		assertThat(counts.lockNames()).doesNotContain(this.key);
	}

	private void assertOneRan(List<CompletableFuture<HttpResponse<String>>> requests, int from, int to)
			throws Exception {
		List<HttpResponse<String>> responses = new ArrayList<>();
		for (CompletableFuture<HttpResponse<String>> request : requests) {
			responses.add(response(request));
		}
		assertThat(responses).allSatisfy((response) -> assertThat(response.statusCode()).isBetween(from, to));
		assertThat(responses.stream().map(HttpResponse::body).distinct()).singleElement().asString().contains("done 2");
		assertThat(responses.stream().filter((response) -> response.headers().firstValue(REPLAYED).isEmpty()))
			.hasSize(1);
	}

	private CompletableFuture<HttpResponse<String>> begin(String handler) throws InterruptedException {
		CompletableFuture<HttpResponse<String>> request = post(handler);
		this.runs.job(this.key, 1).awaitBegun();
		return request;
	}

	private CompletableFuture<HttpResponse<String>> post(String handler) {
		return this.server.postAsync(path(handler));
	}

	private String path(String handler) {
		return handler + "?key=" + this.key;
	}

	private static HttpResponse<String> response(CompletableFuture<HttpResponse<String>> request) throws Exception {
		return request.get(10, TimeUnit.SECONDS);
	}

	private void awaitWaiters(int count) {
		awaitWaiters("shared", count);
	}

	private void awaitWaiters(String name, int count) {
		Awaitility.await().until(() -> new GuardedHandlers(this.server).waiters(new LockKey(name, this.key)) == count);
	}

	private void assertFree() {
		this.server.context().getBean(LockRegistry.class).acquire("shared:" + this.key).close();
	}

}
