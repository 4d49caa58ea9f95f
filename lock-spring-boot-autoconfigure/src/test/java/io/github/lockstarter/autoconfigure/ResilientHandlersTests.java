package io.github.lockstarter.autoconfigure;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.event.EventListener;
import org.springframework.http.ResponseEntity;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.resilience.retry.MethodRetryEvent;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.Jobs;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Handlers with an additional {@code @Retryable} or {@code @ConcurrencyLimit}.
 */
class ResilientHandlersTests {

	private static final String RETRY_OUTSIDE = "lock.order=2147483647";

	@ParameterizedTest
	@ValueSource(strings = { "lock.order=0", "lock.order=2147483547", RETRY_OUTSIDE })
	@DisplayName("A handler with @Retryable that waits for its lock runs once, and is not retried")
	void waits(String order) throws Exception {
		try (TestServer server = start(WebApplicationType.SERVLET, order)) {
			CompletableFuture<HttpResponse<String>> waiting;
			try (Lease held = server.context().getBean(LockRegistry.class).acquire("retried:taro")) {
				waiting = server.postAsync("/waiting?key=taro");
				Awaitility.await().until(() -> new GuardedHandlers(server).waiters() == 1);
				assertThat(held.isHeld()).isTrue();
			}
			assertThat(waiting).succeedsWithin(Duration.ofSeconds(20))
				.satisfies((response) -> assertThat(response.statusCode()).isEqualTo(200))
				.satisfies((response) -> assertThat(response.body()).isEqualTo("run 1"));
			Seen seen = server.context().getBean(Seen.class);
			assertThat(seen.runs()).hasValue(1);
			assertThat(seen.failures()).isEmpty();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "/rejected?key=taro", "/mono?key=taro" })
	@DisplayName("A conflict is reported at once, and not retried")
	void conflict(String path) throws Exception {
		for (WebApplicationType type : List.of(WebApplicationType.SERVLET, WebApplicationType.REACTIVE)) {
			try (TestServer server = start(type);
					Lease held = server.context().getBean(LockRegistry.class).acquire("retried:taro")) {
				assertThat(server.post(path).statusCode()).isEqualTo(409);
				Seen seen = server.context().getBean(Seen.class);
				assertThat(seen.runs()).hasValue(0);
				assertThat(seen.failures()).isEmpty();
				assertThat(held.isHeld()).isTrue();
			}
		}
	}

	@Test
	@DisplayName("With lock.order last, a conflict is retried like any failure")
	void retriedConflict() throws Exception {
		try (TestServer server = start(WebApplicationType.SERVLET, RETRY_OUTSIDE);
				Lease held = server.context().getBean(LockRegistry.class).acquire("retried:taro")) {
			assertThat(server.post("/rejected?key=taro").statusCode()).isEqualTo(409);
			assertThat(server.context().getBean(Seen.class).failures())
				.filteredOn(LockConflictException.class::isInstance)
				.hasSizeGreaterThan(1);
			assertThat(held.isHeld()).isTrue();
		}
	}

	@Test
	@DisplayName("A handler that fails is retried with the same lock")
	void retriesFailure() throws Exception {
		try (TestServer server = start(WebApplicationType.SERVLET)) {
			assertThat(server.post("/failing?key=taro").body()).isEqualTo("run 2");
			assertThat(server.context().getBean(Seen.class).tokens()).hasSize(2)
				.satisfies((tokens) -> assertThat(Set.copyOf(tokens)).hasSize(1));
		}
	}

	@Test
	@DisplayName("With lock.order last, a failure that is retried is not stored, and the retry acquires the lock")
	void retriedFailureIsNotKept() throws Exception {
		try (TestServer server = start(WebApplicationType.SERVLET, RETRY_OUTSIDE)) {
			assertThat(server.post("/kept?key=taro").body()).isEqualTo("run 2");
			assertThat(server.post("/kept?key=taro").headers().firstValue("Idempotent-Replayed")).hasValue("true");
		}
	}

	@Test
	@DisplayName("A rejected request does not count against a @ConcurrencyLimit")
	void limit() throws Exception {
		try (TestServer server = start(WebApplicationType.SERVLET)) {
			Jobs jobs = server.context().getBean(Jobs.class);
			CompletableFuture<HttpResponse<String>> first = server.postAsync("/limited?key=taro");
			jobs.get("taro").awaitBegun();
			CompletableFuture<HttpResponse<String>> other = server.postAsync("/limited?key=jiro");
			LockRegistry locks = server.context().getBean(LockRegistry.class);
			Awaitility.await().until(() -> isHeld(locks, "limited:jiro"));
			assertThat(server.postAsync("/limited?key=taro")).succeedsWithin(Duration.ofSeconds(20))
				.satisfies((response) -> assertThat(response.statusCode()).isEqualTo(409));
			assertThat(jobs.get("jiro").hasBegun()).isFalse();
			jobs.get("taro").finish();
			jobs.get("jiro").finish();
			assertThat(Stream.of(first, other))
				.allSatisfy((response) -> assertThat(response).succeedsWithin(Duration.ofSeconds(20))
					.satisfies((each) -> assertThat(each.body()).isEqualTo("done")));
		}
	}

	private static boolean isHeld(LockRegistry locks, String key) {
		try (Lease free = locks.acquire(key)) {
			return !free.isHeld();
		}
		catch (LockConflictException ex) {
			return true;
		}
	}

	private static TestServer start(WebApplicationType type, String... properties) {
		SpringApplication application = new SpringApplication(TestServer.Application.class, Jobs.class, Resilient.class,
				Seen.class);
		application.setMainApplicationClass(TestServer.Application.class);
		application.setWebApplicationType(type);
		return TestServer.start(application,
				Stream.concat(Stream.of("lock.store=memory"), Stream.of(properties)).toArray(String[]::new));
	}

	@RestController
	@EnableResilientMethods
	static class Resilient {

		private final Jobs jobs;

		private final Seen seen;

		Resilient(Jobs jobs, Seen seen) {
			this.jobs = jobs;
			this.seen = seen;
		}

		@PostMapping("/waiting")
		@Retryable(delay = 10)
		@ExclusiveRequest(name = "retried", key = "#key", waitTime = "1m")
		CompletableFuture<String> waiting(@RequestParam String key) {
			return CompletableFuture.completedFuture("run " + this.seen.runs().incrementAndGet());
		}

		@PostMapping("/rejected")
		@Retryable(delay = 10)
		@ExclusiveRequest(name = "retried", key = "#key")
		CompletableFuture<String> rejected(@RequestParam String key) {
			return CompletableFuture.completedFuture("run " + this.seen.runs().incrementAndGet());
		}

		@PostMapping("/mono")
		@Retryable(delay = 10)
		@ExclusiveRequest(name = "retried", key = "#key")
		Mono<String> mono(@RequestParam String key) {
			return Mono.fromCallable(() -> "run " + this.seen.runs().incrementAndGet());
		}

		@PostMapping("/failing")
		@Retryable(delay = 10)
		@ExclusiveRequest(name = "retried", key = "#key")
		String failing(@RequestParam String key, Lease lease) {
			this.seen.tokens().add(lease.fencingToken());
			if (this.seen.runs().incrementAndGet() == 1) {
				throw new IllegalStateException("failed as asked");
			}
			return "run " + this.seen.runs();
		}

		@PostMapping("/kept")
		@Retryable(delay = 10)
		@ExclusiveRequest(name = "kept", key = "#key", replay = "1h", keep = "all")
		ResponseEntity<String> kept(@RequestParam String key, Lease lease) {
			return ResponseEntity.ok(failing(key, lease));
		}

		@PostMapping("/limited")
		@ConcurrencyLimit(1)
		@ExclusiveRequest(name = "limited", key = "#key")
		String limited(@RequestParam String key) {
			return this.jobs.get(key).run();
		}

	}

	record Seen(AtomicInteger runs, List<Long> tokens, List<Throwable> failures) {

		@Autowired
		Seen() {
			this(new AtomicInteger(), new CopyOnWriteArrayList<>(), new CopyOnWriteArrayList<>());
		}

		@EventListener
		void add(MethodRetryEvent event) {
			this.failures.add(event.getFailure());
		}

	}

}
