package io.github.lockstarter.sample;

import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import io.github.lockstarter.testing.TestRedis;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks that the sample shows what {@code docs/operating.md} describes, with its default
 * settings.
 */
class OperatingTests {

	private static final JsonMapper json = new JsonMapper();

	private final ControlledPoints points = new ControlledPoints();

	private TestServer server;

	@BeforeEach
	void start() {
		this.server = this.points.start(Stream
			.concat(Stream.of(TestRedis.properties()), Stream.of("lock.redis.key-prefix=operating",
					"lock.names.registration.wait=1m", "spring.datasource.url=jdbc:h2:mem:operating"))
			.toArray(String[]::new));
		this.points.hold();
	}

	@AfterEach
	void stop() {
		this.points.grant();
		this.server.close();
	}

	@Test
	@DisplayName("The endpoint shows holders and waiters; a lock that it releases goes to the next waiter")
	void endpoint() throws Exception {
		CompletableFuture<HttpResponse<String>> first = this.server.postAsync("/users?userName=saburo");
		this.points.awaitRequests(1);
		CompletableFuture<HttpResponse<String>> second = this.server.postAsync("/users?userName=saburo");
		Awaitility.await().until(() -> lock().path("waiting").size() == 1);
		assertThat(lock().path("name").asString()).isEqualTo("registration");
		assertThat(lock().at("/held/request").asString()).isEqualTo("POST /users");
		assertThat(lock().at("/waiting/0/request").asString()).isEqualTo("POST /users");
		assertThat(this.server.delete("/actuator/locks/registration?key=saburo").statusCode()).isEqualTo(204);
		this.points.awaitRequests(2);
		this.points.grant();
		assertThat(first.join().statusCode()).isEqualTo(409);
		assertThat(first.join().body()).contains("lease-lost");
		assertThat(second.join().statusCode()).isEqualTo(201);
	}

	@Test
	@DisplayName("The lock meters are available, also for Prometheus, and so is the health of the store")
	void metricsAndHealth() throws Exception {
		this.points.grant();
		assertThat(this.server.post("/users?userName=taro").statusCode()).isEqualTo(201);
		// The engine updates its counts after the response.
		Awaitility.await()
			.untilAsserted(
					() -> assertThat(this.server.get("/actuator/metrics/lock.acquire").body()).contains("granted"));
		assertThat(this.server.get("/actuator/prometheus").body()).contains("lock_acquire_seconds_count");
		JsonNode health = json.readTree(this.server.get("/actuator/health").body());
		assertThat(health.at("/components/lockStore/status").asString()).isEqualTo("UP");
	}

	private JsonNode lock() throws Exception {
		return json.readTree(this.server.get("/actuator/locks").body()).path("locks").path(0);
	}

}
