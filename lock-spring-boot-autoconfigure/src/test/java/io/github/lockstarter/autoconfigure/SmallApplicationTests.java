package io.github.lockstarter.autoconfigure;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Mono;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.WebApplicationType;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.registry.DefaultLockRegistry;
import io.github.lockstarter.registry.LockInspector;
import io.github.lockstarter.testing.Jobs;
import io.github.lockstarter.testing.LocalRedis;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The main features of the starter in a small application. Runs on every supported
 * version of Spring Boot; see {@code compatibility}.
 */
@Tag("jdk")
@ParameterizedClass
@CsvSource({ "SERVLET, memory", "SERVLET, redis", "REACTIVE, memory", "REACTIVE, redis" })
class SmallApplicationTests {

	@Parameter(0)
	WebApplicationType type;

	@Parameter(1)
	String store;

	private static LocalRedis redis;

	private static TestServer server;

	private static Jobs jobs;

	@BeforeParameterizedClassInvocation
	static void start(WebApplicationType type, String store) {
		redis = LocalRedis.started();
		SpringApplication application = new SpringApplication(TestServer.CompleteApplication.class, Jobs.class,
				Small.class);
		application.setMainApplicationClass(TestServer.CompleteApplication.class);
		application.setWebApplicationType(type);
		server = TestServer.start(application, "lock.store=" + store, "lock.redis.command-timeout=30s",
				"spring.data.redis.port=" + redis.port());
		jobs = server.context().getBean(Jobs.class);
	}

	@AfterParameterizedClassInvocation
	static void stop() {
		server.close();
		redis.close();
	}

	@Test
	@DisplayName("The application runs on the intended version of Spring Boot")
	void version() {
		assertThat(SpringBootVersion.getVersion()).startsWith(System.getProperty("expected.spring-boot", "4."));
	}

	@Test
	@DisplayName("While a request runs, a request with the same key is rejected with problem details")
	void locks() throws Exception {
		CompletableFuture<HttpResponse<String>> first = server.postAsync("/lock?key=lock");
		jobs.get("lock").awaitBegun();
		HttpResponse<String> second = server.post("/lock?key=lock");
		assertThat(second.statusCode()).isEqualTo(409);
		assertThat(second.body()).contains("request-in-progress");
		jobs.get("lock").finish();
		assertDone(first);
		assertThat(server.post("/lock?key=").statusCode()).isEqualTo(400);
	}

	@Test
	@DisplayName("A request waits until the lock is released")
	void waits() throws Exception {
		CompletableFuture<HttpResponse<String>> waiting;
		try (Lease held = server.context().getBean(LockRegistry.class).acquire("wait:wait")) {
			waiting = server.postAsync("/wait?key=wait");
			awaitWaiter();
			assertThat(jobs.get("wait").hasBegun()).isFalse();
			assertThat(held.isHeld()).isTrue();
		}
		jobs.get("wait").finish();
		assertDone(waiting);
	}

	@Test
	@DisplayName("A concurrent duplicate gets the response of the running request")
	void shares() throws Exception {
		CompletableFuture<HttpResponse<String>> first = server.postAsync("/share?key=share");
		jobs.get("share").awaitBegun();
		CompletableFuture<HttpResponse<String>> second = server.postAsync("/share?key=share");
		awaitWaiter();
		jobs.get("share").finish();
		assertDone(first);
		assertDone(second);
		assertThat(second.join().headers().firstValue("Idempotent-Replayed")).hasValue("true");
	}

	@Test
	@DisplayName("A later duplicate gets the response of the first request")
	void replays() throws Exception {
		List<String> bodies = Stream.of(server.post("/replay?key=replay"), server.post("/replay?key=replay"))
			.map(HttpResponse::body)
			.toList();
		assertThat(bodies.get(0)).contains("\"token\":");
		assertThat(bodies.get(1)).isEqualTo(bodies.get(0));
	}

	private void awaitWaiter() {
		LockInspector locks = new LockInspector(server.context().getBean(DefaultLockRegistry.class));
		Awaitility.await().until(() -> locks.snapshot().stream().mapToInt((lock) -> lock.waiting().size()).sum() == 1);
	}

	private static void assertDone(CompletableFuture<HttpResponse<String>> response) {
		assertThat(response).succeedsWithin(Duration.ofSeconds(20))
			.satisfies((each) -> assertThat(each.statusCode()).isEqualTo(200))
			.satisfies((each) -> assertThat(each.body()).isEqualTo("done"));
	}

	record Body(String key, long token) {
	}

	@RestController
	static class Small {

		private final Jobs jobs;

		Small(Jobs jobs) {
			this.jobs = jobs;
		}

		@PostMapping("/lock")
		@ExclusiveRequest(name = "lock", key = "#key")
		Mono<String> lock(@RequestParam String key) {
			return Mono.fromFuture(this.jobs.get(key).begin());
		}

		@PostMapping("/wait")
		@ExclusiveRequest(name = "wait", key = "#key", waitTime = "1m")
		CompletableFuture<String> await(@RequestParam String key) {
			return this.jobs.get(key).begin();
		}

		@PostMapping("/share")
		@ExclusiveRequest(name = "share", key = "#key", onConflict = OnConflict.SHARE)
		Mono<String> share(@RequestParam String key) {
			return Mono.fromFuture(this.jobs.get(key).begin());
		}

		@PostMapping("/replay")
		@ExclusiveRequest(name = "replay", key = "#key", replay = "1h")
		Mono<Body> replay(@RequestParam String key, Lease lease) {
			return Mono.fromSupplier(() -> new Body(key, lease.fencingToken()));
		}

	}

}
