package io.github.lockstarter.autoconfigure;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The response to a request that would wait when {@code lock.max-waiters} requests wait
 * already.
 */
class WaitQueueFullTests {

	private static final Duration LONG = Duration.ofMinutes(1);

	@ParameterizedTest
	@ValueSource(strings = { "servlet", "reactive" })
	@DisplayName("A request that finds the wait queue full gets a problem in its language")
	void responds(String type) throws Exception {
		try (TestServer server = TestServer.start(new Class<?>[] { TestServer.Application.class, Orders.class },
				"spring.main.web-application-type=" + type, "lock.store=memory", "lock.max-waiters=1",
				"lock.web.conflict-status=422")) {
			LockRegistry locks = server.context().getBean(LockRegistry.class);
			try (Lease held = locks.acquire("order:1")) {
				CompletableFuture<Optional<Lease>> waiting = locks.tryAcquireAsync("order:1", LONG)
					.toCompletableFuture();
				HttpResponse<String> response = server.post("/orders?number=1", "Accept-Language", "en");
				assertThat(response.statusCode()).isEqualTo(422);
				assertThat(response.headers().firstValue("Retry-After")).isPresent();
				assertThat(response.body()).contains("\"https://lockstarter.github.io/problems/wait-queue-full\"",
						"\"Too many requests waiting\"",
						"\"Too many requests are already waiting for this resource. Retry later.\"");
				assertThat(server.post("/orders?number=1", "Accept-Language", "ja").body()).contains("待機中のリクエストが多すぎます");
				assertThat(server.post("/at-once?number=1").body()).contains("/problems/request-in-progress");
				waiting.cancel(false);
				assertThat(server.post("/briefly?number=1").body()).contains("/problems/wait-timeout");
				assertThat(held.isHeld()).isTrue();
			}
			assertThat(server.post("/orders?number=1").body()).isEqualTo("done");
		}
	}

	@RestController
	static class Orders {

		@PostMapping("/orders")
		@ExclusiveRequest(name = "order", key = "#number", waitTime = "1m")
		public Mono<String> order(@RequestParam String number) {
			return Mono.just("done");
		}

		@PostMapping("/at-once")
		@ExclusiveRequest(name = "order", key = "#number")
		public Mono<String> atOnce(@RequestParam String number) {
			return Mono.just("done");
		}

		@PostMapping("/briefly")
		@ExclusiveRequest(name = "order", key = "#number", waitTime = "1ms")
		public Mono<String> briefly(@RequestParam String number) {
			return Mono.just("done");
		}

	}

}
