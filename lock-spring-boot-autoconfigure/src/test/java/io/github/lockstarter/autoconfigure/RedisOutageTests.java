package io.github.lockstarter.autoconfigure;

import java.net.http.HttpResponse;
import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.LocalRedis;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

@Tag("redis")
class RedisOutageTests {

	/** Far longer than the command timeout, and far shorter than the driver's own. */
	private static final Duration SOON = Duration.ofSeconds(20);

	@Test
	@DisplayName("While Redis is killed or frozen, requests get status 503 in time; when Redis is back, requests work")
	void outage() throws Exception {
		try (LocalRedis redis = LocalRedis.started(); TestServer server = start(redis)) {
			Awaitility.await().until(() -> server.post("/users?userName=taro").statusCode() == 200);
			redis.kill();
			for (int i = 0; i < 3; i++) {
				assertThat(server.postAsync("/users?userName=taro")).succeedsWithin(SOON)
					.satisfies(RedisOutageTests::isUnavailable);
			}
			redis.start();
			Awaitility.await().until(() -> server.post("/users?userName=jiro").statusCode() == 200);
			redis.freeze();
			assertThat(server.postAsync("/users?userName=taro")).succeedsWithin(SOON)
				.satisfies(RedisOutageTests::isUnavailable);
			redis.thaw();
			Awaitility.await().until(() -> server.post("/users?userName=saburo").statusCode() == 200);
			// Grants by the frozen server are undone.
			Awaitility.await().until(() -> server.post("/users?userName=taro").statusCode() == 200);
		}
	}

	@Test
	@DisplayName("When Redis is frozen at startup, the application starts, and works when Redis resumes")
	void frozenAtStart() throws Exception {
		try (LocalRedis redis = LocalRedis.started()) {
			redis.freeze();
			try (TestServer server = assertTimeoutPreemptively(Duration.ofSeconds(30), () -> start(redis))) {
				assertThat(server.post("/users?userName=taro").statusCode()).isEqualTo(503);
				redis.thaw();
				Awaitility.await().until(() -> server.post("/users?userName=taro").statusCode() == 200);
			}
		}
	}

	private static TestServer start(LocalRedis redis) {
		return TestServer.start(new Class<?>[] { TestServer.Application.class, Controller.class },
				"spring.data.redis.port=" + redis.port(), "spring.data.redis.host=127.0.0.1");
	}

	private static void isUnavailable(HttpResponse<String> response) {
		assertThat(response.statusCode()).isEqualTo(503);
		assertThat(response.headers().firstValue("Retry-After")).hasValue("1");
		assertThat(response.body()).contains("lock-store-unavailable");
	}

	@RestController
	static class Controller {

		@PostMapping("/users")
		@ExclusiveRequest(name = "users", key = "#userName", ttl = "5m")
		public String register(@RequestParam String userName) {
			return "registered";
		}

	}

}
