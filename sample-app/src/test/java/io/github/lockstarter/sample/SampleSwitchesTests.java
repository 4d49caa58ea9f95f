package io.github.lockstarter.sample;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.aot.AotDetector;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.testing.TestRedis;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The options of the sample in {@code docs/sample.md}.
 */
class SampleSwitchesTests {

	@Test
	@DisplayName("With sample.points.fail, the last step fails, and the user is registered without points")
	void pointsFail() throws Exception {
		try (TestServer server = start("sample.points.fail=true", "sample.points.latency=1s")) {
			assertThat(server.post("/users?userName=taro").statusCode()).isEqualTo(502);
			assertThat(server.get("/users?userName=taro").body()).contains("\"points\":0");
			HttpResponse<String> page = server.post("/register?userName=jiro&token=1", "Accept", "text/html");
			assertThat(page.statusCode()).isEqualTo(502);
			assertThat(page.body()).contains("<h1>Registered, without points</h1>");
			String run = server.post("/runs?policy=REJECT&requests=3").headers().firstValue("Location").orElseThrow();
			Awaitility.await().until(() -> server.get(run).body().contains("data-over=\"true\""));
			assertThat(server.get(run).body()).contains("502 registered", "502 duplicate").doesNotContain("502 failed");
		}
	}

	@Test
	@DisplayName("lock.names.registration.conflict-status changes the status of a rejected request")
	void conflictStatus() throws Exception {
		try (TestServer server = start("lock.names.registration.conflict-status=422")) {
			server.context()
				.getBean(LockRegistry.class)
				.acquire(new LockKey("registration", "taro"), LockOptions.of(Duration.ofMinutes(1)));
			assertThat(server.post("/users?userName=taro").statusCode()).isEqualTo(422);
			assertThat(server.post("/users?userName=taro").body()).contains("request-in-progress");
		}
	}

	@Test
	@DisplayName("sample.points.latency sets the duration of a registration")
	void latency() throws Exception {
		try (TestServer server = start("sample.points.latency=700ms")) {
			long start = System.nanoTime();
			assertThat(server.post("/users?userName=taro").statusCode()).isEqualTo(201);
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(700));
		}
	}

	@Test
	@DisplayName("A negative duration prevents startup, and the message names the property")
	void negativeLatency() {
		assertThatThrownBy(() -> start("sample.points.latency=-1s")).rootCause()
			.hasMessageContaining("sample.points.latency")
			.hasMessageContaining("must not be negative");
	}

	@Test
	@DisplayName("lock.store=memory needs no Redis, unless the sample was processed ahead of time for Redis")
	void memory() throws Exception {
		if (AotDetector.useGeneratedArtifacts()) {
			assertThatThrownBy(() -> startInMemory()).rootCause()
				.isInstanceOf(LockConfigurationException.class)
				.hasMessageStartingWith("lock.store is memory, but was redis");
			return;
		}
		try (TestServer server = startInMemory()) {
			assertThat(server.post("/users?userName=taro").statusCode()).isEqualTo(201);
		}
	}

	@Test
	@DisplayName("A lock can be in a store of its own, unless the sample was processed ahead of time without that store")
	void storeOfOneLock() throws Exception {
		if (AotDetector.useGeneratedArtifacts()) {
			assertThatThrownBy(() -> start("lock.names.registration.store=memory")).rootCause()
				.isInstanceOf(LockConfigurationException.class)
				.hasMessageStartingWith("lock.names.registration.store is memory, but no lock was in that store");
			return;
		}
		try (TestServer server = start("lock.names.registration.store=memory")) {
			assertThat(server.post("/users?userName=jiro").statusCode()).isEqualTo(201);
		}
	}

	private static TestServer start(String... properties) {
		return startWith(TestRedis.properties(), properties);
	}

	private static TestServer startInMemory() {
		return startWith(new String[] { "lock.store=memory", "spring.data.redis.port=1" });
	}

	private static TestServer startWith(String[]... properties) {
		String[] all = Stream
			.concat(Stream.of("spring.datasource.url=jdbc:h2:mem:switches"), Stream.of(properties).flatMap(Stream::of))
			.toArray(String[]::new);
		return TestServer.start(new Class<?>[] { SampleApplication.class }, all);
	}

}
