package io.github.lockstarter.autoconfigure;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Synchronous and asynchronous Spring MVC handlers that wait for one lock, on a server
 * with ten threads.
 */
class MixedHandlersTests {

	private static final int THREADS = 10;

	/** Long enough for a machine that stands still for some seconds. */
	private static final Duration WAIT = Duration.ofSeconds(20);

	/** A response that takes longer is later than the wait of its request. */
	private static final Duration LATE = WAIT.plusSeconds(20);

	private static final String SUSPENDED = "lock.web.waiting=suspended";

	private static final String[] PATHS = { "/value?number=1", "/future?number=1", "/mono?number=1", "/none" };

	@ParameterizedTest
	@ValueSource(strings = { "lock.web.release-on=method", "lock.web.release-on=response" })
	@DisplayName("A suspended synchronous handler frees its thread for the asynchronous handler that holds the lock")
	void dispatched(String releaseOn) throws Exception {
		try (TestServer server = start(releaseOn, SUSPENDED)) {
			List<CompletableFuture<HttpResponse<String>>> asynchronous;
			List<CompletableFuture<HttpResponse<String>>> plain;
			GuardedHandlers handlers = new GuardedHandlers(server);
			try (Lease held = server.context().getBean(LockRegistry.class).acquire("order:1")) {
				asynchronous = send(server, THREADS, "/future?number=1");
				Awaitility.await().until(() -> handlers.waiters() == THREADS);
				plain = send(server, THREADS * 3, "/value?number=1", "/none", "/value?number=1");
				Awaitility.await().until(() -> handlers.waiters() >= THREADS * 2);
				assertThat(held.isHeld()).isTrue();
			}
			succeeded(Stream.concat(asynchronous.stream(), plain.stream()).toList());
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "lock.web.release-on=method", "lock.web.release-on=response" })
	@DisplayName("Half of the threads wait for a lock, and the others respond: the asynchronous handler that gets the lock, and requests that must not wait")
	void reserve(String releaseOn) throws Exception {
		try (TestServer server = start(releaseOn)) {
			List<CompletableFuture<HttpResponse<String>>> asynchronous;
			List<CompletableFuture<HttpResponse<String>>> plain;
			GuardedHandlers handlers = new GuardedHandlers(server);
			try (Lease held = server.context().getBean(LockRegistry.class).acquire("order:1")) {
				asynchronous = send(server, THREADS, "/future?number=1");
				Awaitility.await().until(() -> handlers.waiters() == THREADS);
				plain = send(server, THREADS * 3, "/value?number=1", "/none", "/value?number=1");
				List<CompletableFuture<HttpResponse<String>>> waiting = plain;
				Awaitility.await()
					.until(() -> waiting.stream().filter(CompletableFuture::isDone).count() == THREADS * 3
							- THREADS / 2);
				assertThat(handlers.waiters()).isEqualTo(THREADS + THREADS / 2);
				assertThat(server.post("/value?number=2").statusCode()).isEqualTo(200);
				assertThat(held.isHeld()).isTrue();
			}
			succeeded(asynchronous);
			succeededOrRejected(plain);
			assertThat(plain).filteredOn((response) -> response.join().statusCode() == 200).hasSize(THREADS / 2);
		}
	}

	@Test
	@DisplayName("As many threads wait as lock.web.max-waiting-threads says")
	void limit() {
		try (TestServer server = start("lock.web.max-waiting-threads=2")) {
			List<CompletableFuture<HttpResponse<String>>> plain;
			try (Lease held = server.context().getBean(LockRegistry.class).acquire("order:1")) {
				plain = send(server, 6, "/value?number=1");
				List<CompletableFuture<HttpResponse<String>>> waiting = plain;
				Awaitility.await().until(() -> waiting.stream().filter(CompletableFuture::isDone).count() == 4);
				assertThat(held.isHeld()).isTrue();
			}
			succeededOrRejected(plain);
		}
	}

	@Test
	@DisplayName("Without a lock that is held, all threads acquire locks at the same time")
	void freeLocks() {
		try (TestServer server = start("lock.web.max-waiting-threads=1")) {
			succeeded(IntStream.range(100, 400).mapToObj((i) -> server.postAsync("/value?number=" + i)).toList());
		}
	}

	@Test
	@DisplayName("Five hundred requests to suspended synchronous and asynchronous handlers with one key all get a response, none later than its wait")
	void respondsToAll() {
		try (TestServer server = start(WAIT, SUSPENDED)) {
			succeeded(inTime(send(server, 500, PATHS)));
		}
	}

	@Test
	@DisplayName("Five hundred requests to synchronous and asynchronous handlers with one key all get a response, none later than its wait, and those without a thread to wait on are rejected")
	void respondsToAllWithReserve() {
		try (TestServer server = start(WAIT)) {
			List<CompletableFuture<HttpResponse<String>>> responses = inTime(send(server, 500, PATHS));
			succeededOrRejected(responses);
			Map<Boolean, List<CompletableFuture<HttpResponse<String>>>> bySynchronous = IntStream
				.range(0, responses.size())
				.boxed()
				.collect(Collectors.partitioningBy((i) -> i % 4 == 0 || i % 4 == 3,
						Collectors.mapping(responses::get, Collectors.toList())));
			succeeded(bySynchronous.get(false));
			// One is rejected only while as many as may wait do so, and those get the
			// lock.
			assertThat(bySynchronous.get(true)).filteredOn((response) -> response.join().statusCode() == 200)
				.hasSizeGreaterThanOrEqualTo(THREADS / 2);
		}
	}

	/** Fails those that are later than the wait of their requests. */
	private static List<CompletableFuture<HttpResponse<String>>> inTime(
			List<CompletableFuture<HttpResponse<String>>> responses) {
		return responses.stream().map((each) -> each.orTimeout(LATE.toSeconds(), TimeUnit.SECONDS)).toList();
	}

	/** A request whose thread must not wait is rejected. */
	private static void succeededOrRejected(List<CompletableFuture<HttpResponse<String>>> responses) {
		assertThat(CompletableFuture.allOf(responses.toArray(CompletableFuture[]::new)))
			.succeedsWithin(Duration.ofMinutes(1));
		assertThat(responses).extracting(CompletableFuture::join).allSatisfy((response) -> {
			if (response.statusCode() == 200) {
				assertThat(response.body()).isEqualTo("done");
			}
			else {
				assertThat(response.statusCode()).isEqualTo(409);
				assertThat(response.body()).contains("wait-queue-full");
			}
		});
	}

	private static void succeeded(List<CompletableFuture<HttpResponse<String>>> responses) {
		assertThat(CompletableFuture.allOf(responses.toArray(CompletableFuture[]::new)))
			.succeedsWithin(Duration.ofMinutes(1));
		assertThat(responses)
			.allSatisfy((response) -> assertThat(response.join()).returns(200, HttpResponse::statusCode)
				.returns("done", HttpResponse::body));
	}

	private static List<CompletableFuture<HttpResponse<String>>> send(TestServer server, int count, String... paths) {
		return IntStream.range(0, count).mapToObj((i) -> server.postAsync(paths[i % paths.length])).toList();
	}

	private static TestServer start(String... properties) {
		return start(Duration.ofMinutes(5), properties);
	}

	private static TestServer start(Duration wait, String... properties) {
		return TestServer.start(new Class<?>[] { TestServer.Application.class, Orders.class },
				Stream.concat(Stream.of("lock.store=memory", "lock.wait=" + wait, "lock.max-waiters=1000",
						"server.tomcat.threads.max=" + THREADS), Stream.of(properties))
					.toArray(String[]::new));
	}

	@RestController
	static class Orders {

		@PostMapping("/value")
		@ExclusiveRequest(name = "order", key = "#number", onConflict = OnConflict.WAIT)
		public String value(@RequestParam String number) {
			return "done";
		}

		@PostMapping("/none")
		@ExclusiveRequest(name = "order", key = "'1'", onConflict = OnConflict.WAIT)
		public String none() {
			return "done";
		}

		@PostMapping("/future")
		@ExclusiveRequest(name = "order", key = "#number", onConflict = OnConflict.WAIT)
		public CompletableFuture<String> future(@RequestParam String number) {
			return CompletableFuture.supplyAsync(() -> "done");
		}

		@PostMapping("/mono")
		@ExclusiveRequest(name = "order", key = "#number", onConflict = OnConflict.WAIT)
		public Mono<String> mono(@RequestParam String number) {
			return Mono.fromSupplier(() -> "done");
		}

	}

}
