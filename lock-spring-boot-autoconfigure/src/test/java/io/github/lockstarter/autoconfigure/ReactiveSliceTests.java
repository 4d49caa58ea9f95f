package io.github.lockstarter.autoconfigure;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.webflux.test.autoconfigure.WebFluxTest;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A slice test of a Spring WebFlux application without a connection to Redis.
 */
class ReactiveSliceTests {

	@Nested
	@WebFluxTest(properties = { "lock.store=memory", "spring.main.web-application-type=reactive" })
	@ContextConfiguration(classes = Application.class)
	class InMemory {

		@Autowired
		private WebTestClient client;

		@Autowired
		private LockRegistry locks;

		@Test
		@DisplayName("With lock.store=memory, a slice test works without Redis: a concurrent request is rejected with problem details")
		void guarded() {
			this.client.post().uri("/orders?id=1").exchange().expectStatus().isOk();
			try (Lease lease = this.locks.acquire("order:1")) {
				assertThat(lease.isHeld()).isTrue();
				this.client.post()
					.uri("/orders?id=1")
					.exchange()
					.expectStatus()
					.isEqualTo(409)
					.expectHeader()
					.contentType(MediaType.APPLICATION_PROBLEM_JSON)
					.expectBody()
					.jsonPath("$.title")
					.isEqualTo("Request already in progress");
				this.client.post().uri("/orders?id=2").exchange().expectStatus().isOk();
			}
		}

	}

	@Nested
	@WebFluxTest(properties = { "lock.names.disabled.enabled=false", "spring.main.web-application-type=reactive" })
	@ContextConfiguration(classes = Application.class)
	class WithoutNeedOfLocks {

		@Autowired
		private WebTestClient client;

		@Test
		@DisplayName("A call whose condition is false, or whose lock is disabled by name, needs no store")
		void runs() {
			this.client.post().uri("/conditional?id=free").exchange().expectStatus().isOk();
			this.client.post().uri("/disabled").exchange().expectStatus().isOk();
			this.client.post().uri("/conditional?id=1").exchange().expectStatus().is5xxServerError();
		}

	}

	@Nested
	@WebFluxTest(properties = "spring.main.web-application-type=reactive")
	@ContextConfiguration(classes = Application.class)
	@ExtendWith(OutputCaptureExtension.class)
	class WithoutStore {

		@Autowired
		private WebTestClient client;

		@Test
		@DisplayName("Without lock.store, only guarded methods fail; they never run without the lock, and the log says what to set")
		void unguarded(CapturedOutput output) {
			this.client.post().uri("/unguarded").exchange().expectStatus().isOk();
			assertThat(output).doesNotContain("lock.store");
			this.client.post().uri("/orders?id=1").exchange().expectStatus().is5xxServerError();
			assertThat(output).contains("lock.store is redis");
		}

	}

	@Nested
	@WebFluxTest(properties = { "lock.store=memory", "spring.main.web-application-type=reactive" })
	@ContextConfiguration(classes = ApplicationByInterface.class)
	class ByInterface {

		@Autowired
		private WebTestClient client;

		@Test
		@DisplayName("Controllers that implement an interface keep their mappings")
		void mapped() {
			this.client.post().uri("/api/locked?id=1").exchange().expectStatus().isOk();
			this.client.post().uri("/api/list").exchange().expectStatus().isOk();
		}

	}

	@SpringBootConfiguration
	@Import(LockedApi.class)
	static class ApplicationByInterface {

	}

	interface Api {

		Mono<String> place(String id);

	}

	@RestController
	static class LockedApi implements Api {

		@Override
		@PostMapping("/api/locked")
		@ExclusiveRequest(key = "#id")
		public Mono<String> place(@RequestParam String id) {
			return Mono.just(id);
		}

		@PostMapping("/api/list")
		public Mono<String> list() {
			return Mono.just("all");
		}

	}

	@SpringBootConfiguration
	@Import(Orders.class)
	static class Application {

	}

	@RestController
	static class Orders {

		@PostMapping("/orders")
		@ExclusiveRequest(name = "order", key = "#id")
		public Mono<String> place(@RequestParam String id) {
			return Mono.just(id);
		}

		@PostMapping("/conditional")
		@ExclusiveRequest(name = "conditional", key = "#id", condition = "#id != 'free'")
		public Mono<String> conditional(@RequestParam String id) {
			return Mono.just(id);
		}

		@PostMapping("/disabled")
		@ExclusiveRequest(name = "disabled")
		public Mono<String> disabled() {
			return Mono.just("done");
		}

		@PostMapping("/unguarded")
		public Mono<String> unguarded() {
			return Mono.just("done");
		}

	}

}
