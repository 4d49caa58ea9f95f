package io.github.lockstarter.service;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.service.RunningService.Response;
import io.github.lockstarter.testing.LocalRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Responses during and after an outage of Redis.
 */
class StoreOutageTests {

	private static LocalRedis redis;

	private static RunningService service;

	@BeforeAll
	static void start() {
		redis = LocalRedis.started();
		service = RunningService.startBare(RunningService.TARO, "lock.store=redis", "spring.data.redis.host=127.0.0.1",
				"spring.data.redis.port=" + redis.port(), "lock.redis.command-timeout=2s");
	}

	@AfterAll
	static void stop() {
		service.close();
		redis.close();
	}

	@Test
	@DisplayName("While the store is unavailable, requests get 503 in time, and the service is alive but not ready; then it recovers")
	void outage() {
		Awaitility.await().until(() -> service.send("PUT", "/locks/first").status() == 201);
		String token = service.send("PUT", "/locks/o").token();
		redis.freeze();
		List<CompletableFuture<Response>> responses = List.of(service.sendAsync("PUT", "/locks/o2"),
				service.sendAsync("PUT", "/locks/o2", "Lock-Token", "chosen-by-the-client-1"),
				service.sendAsync("GET", "/locks/o"), service.sendAsync("DELETE", "/locks/o", "Lock-Token", token),
				service.sendAsync("GET", "/lock?hash=o3"), service.sendAsync("GET", "/locks/o", "Accept", "text/html"));
		responses.forEach(StoreOutageTests::assertUnavailable);
		assertThat(service.sendWithoutKey("GET", "/actuator/health/readiness").join().status()).isEqualTo(503);
		assertThat(service.sendWithoutKey("GET", "/actuator/health/liveness").join().status()).isEqualTo(200);
		redis.thaw();
		Awaitility.await()
			.until(() -> service.sendWithoutKey("GET", "/actuator/health/readiness").join().status() == 200);
		// All commands to Redis have ended by now. A grant for a new token whose answer
		// was lost was undone.
		Awaitility.await().until(() -> !service.isHeld("o3"));
		Awaitility.await()
			.until(() -> service.send("PUT", "/locks/o2", "Lock-Token", "chosen-by-the-client-1").status() < 300);
	}

	private static void assertUnavailable(CompletableFuture<Response> response) {
		assertThat(response).succeedsWithin(8, TimeUnit.SECONDS);
		assertThat(response.join().status()).isEqualTo(503);
		assertThat(response.join().problem()).isEqualTo("lock-store-unavailable");
		assertThat(response.join().header("Retry-After")).isEqualTo("1");
	}

}
