package io.github.lockstarter.autoconfigure;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.store.Capability;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.testing.Jobs;
import io.github.lockstarter.testing.LocalDynamoDb;
import io.github.lockstarter.testing.LocalMemcached;
import io.github.lockstarter.testing.LocalPostgreSql;
import io.github.lockstarter.testing.TestRedis;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two instances with the same annotated handlers, with each store that can be shared.
 */
@ParameterizedClass
@ValueSource(strings = { "redis", "jdbc", "memcached", "dynamodb" })
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EveryStoreTests {

	@Parameter
	String store;

	private LocalMemcached memcached;

	private TestServer first;

	private TestServer second;

	@BeforeParameterizedClassInvocation
	void start() {
		List<String> properties = new ArrayList<>(
				List.of("spring.main.web-application-type=servlet", "lock.store=" + this.store));
		switch (this.store) {
			case "redis" -> properties.addAll(List.of(TestRedis.properties()));
			case "jdbc" -> properties.addAll(List.of("lock.jdbc.url=" + LocalPostgreSql.shared().url(),
					"lock.jdbc.initialize-schema=always", "lock.jdbc.command-timeout=30s"));
			case "memcached" -> {
				this.memcached = LocalMemcached.started();
				properties.add("lock.memcached.servers=" + this.memcached.address());
				properties.add("lock.memcached.command-timeout=30s");
			}
			default -> properties.addAll(List.of("lock.dynamodb.create-table=true",
					"lock.dynamodb.table=every-store-" + UUID.randomUUID(), "lock.dynamodb.command-timeout=30s"));
		}
		this.first = server(properties);
		this.second = server(properties);
	}

	@AfterParameterizedClassInvocation
	void stop() {
		this.first.close();
		this.second.close();
		if (this.memcached != null) {
			this.memcached.close();
		}
	}

	@Test
	@DisplayName("Of two requests at two instances, one is rejected while the other runs; a later request runs")
	void rejected() throws Exception {
		String path = "/reject?key=" + UUID.randomUUID();
		CompletableFuture<HttpResponse<String>> running = begin(path);
		HttpResponse<String> rejected = this.second.post(path);
		assertThat(rejected.statusCode()).isEqualTo(409);
		assertThat(rejected.body()).contains("request-in-progress");
		assertThat(Integer.parseInt(rejected.headers().firstValue("Retry-After").orElseThrow())).isBetween(1, 31);
		finish(path);
		assertThat(running.get().statusCode()).isEqualTo(200);
		assertThat(this.second.post(path).statusCode()).isEqualTo(200);
	}

	@Test
	@DisplayName("A waiter at another instance runs when the holder has finished")
	void waits() throws Exception {
		String path = "/wait?key=" + UUID.randomUUID();
		CompletableFuture<HttpResponse<String>> running = begin(path);
		CompletableFuture<HttpResponse<String>> waiting = this.second.postAsync(path);
		Awaitility.await().until(() -> hasMetContention(this.second, "wait"));
		assertThat(job(this.second, path).hasBegun()).isFalse();
		finish(path);
		assertThat(running.get().statusCode()).isEqualTo(200);
		assertThat(waiting.get().statusCode()).isEqualTo(200);
		assertThat(job(this.second, path).hasBegun()).isTrue();
	}

	@Test
	@DisplayName("If the store keeps results, a waiter at another instance gets the holder's response without running")
	void shares() throws Exception {
		if (this.store.equals("memcached")) {
			// An application that shares results does not start with this store; see
			// StoreChoiceTests.
			assertThat(this.first.context().getBean(LockStore.class).capabilities())
				.doesNotContain(Capability.KEEPS_RESULTS);
			return;
		}
		String path = "/share?key=" + UUID.randomUUID();
		CompletableFuture<HttpResponse<String>> running = begin(path);
		CompletableFuture<HttpResponse<String>> waiting = this.second.postAsync(path);
		Awaitility.await().until(() -> hasMetContention(this.second, "share"));
		job(this.first, path).finish();
		assertThat(waiting.get().body()).isEqualTo(running.get().body());
		assertThat(job(this.second, path).hasBegun()).isFalse();
	}

	@Test
	@DisplayName("While the store is unavailable, a request gets status 503, not a conflict")
	void unavailable() throws Exception {
		String broken = switch (this.store) {
			case "redis" -> "spring.data.redis.port=1";
			case "jdbc" -> "lock.jdbc.url=jdbc:postgresql://127.0.0.1:1/none";
			case "memcached" -> "lock.memcached.servers=127.0.0.1:1";
			default -> "lock.dynamodb.table=absent-" + UUID.randomUUID();
		};
		try (TestServer server = server(
				List.of("spring.main.web-application-type=servlet", "lock.store=" + this.store, broken))) {
			HttpResponse<String> response = server.post("/reject?key=taro");
			assertThat(response.statusCode()).isEqualTo(503);
			assertThat(response.headers().firstValue("Retry-After")).hasValue("1");
			assertThat(response.body()).contains("lock-store-unavailable");
		}
	}

	private CompletableFuture<HttpResponse<String>> begin(String path) throws InterruptedException {
		CompletableFuture<HttpResponse<String>> response = this.first.postAsync(path);
		job(this.first, path).awaitBegun();
		return response;
	}

	/**
	 * Ends the handlers of this path on both instances, now or when they are called.
	 */
	private void finish(String path) {
		Stream.of(this.first, this.second).forEach((server) -> job(server, path).finish());
	}

	private static Jobs.Job job(TestServer server, String path) {
		return server.context().getBean(Jobs.class).get(path.substring(path.indexOf('=') + 1));
	}

	private static boolean hasMetContention(TestServer server, String lock) {
		return server.context().getBean(LockCounts.class).get(lock, Event.CONTENDED) > 0;
	}

	private TestServer server(List<String> properties) {
		List<Class<?>> sources = new ArrayList<>(
				List.of(TestServer.CompleteApplication.class, Jobs.class, Client.class, Handlers.class));
		if (!this.store.equals("memcached")) {
			sources.add(SharingHandlers.class);
		}
		return TestServer.start(sources.toArray(Class<?>[]::new), properties.toArray(String[]::new));
	}

	static class Client {

		@Bean
		@Lazy
		DynamoDbAsyncClient client() {
			return LocalDynamoDb.shared().newClient();
		}

	}

	@RestController
	static class Handlers {

		private final Jobs jobs;

		Handlers(Jobs jobs) {
			this.jobs = jobs;
		}

		@PostMapping("/reject")
		@ExclusiveRequest(name = "reject", key = "#key", ttl = "30s")
		public String reject(@RequestParam String key) {
			return this.jobs.get(key).run();
		}

		@PostMapping("/wait")
		@ExclusiveRequest(name = "wait", key = "#key", onConflict = OnConflict.WAIT)
		public String await(@RequestParam String key) {
			return this.jobs.get(key).run();
		}

	}

	@RestController
	static class SharingHandlers {

		private final Jobs jobs;

		SharingHandlers(Jobs jobs) {
			this.jobs = jobs;
		}

		@PostMapping("/share")
		@ExclusiveRequest(name = "share", key = "#key", onConflict = OnConflict.SHARE)
		public String share(@RequestParam String key) {
			return this.jobs.get(key).run() + " " + System.nanoTime();
		}

	}

}
