package io.github.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.bean.override.convention.TestBean;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.TokenLocks;
import io.github.lockstarter.actuate.LocksEndpoint;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.registry.DefaultLockRegistry;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.memory.MemoryLockStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.verify;

/**
 * Tests of an application that replace this library's registry: the application uses
 * Redis in production, and the test needs none.
 */
class ReplacedRegistryTests {

	private static void reject(LockRegistry registry) {
		given(registry.acquire(any(LockKey.class), any(LockOptions.class))).willAnswer((call) -> {
			throw new LockConflictException(call.getArgument(0), call.getArgument(1), Duration.ZERO);
		});
	}

	@Nested
	@SpringBootTest(properties = { "spring.data.redis.port=1", "management.endpoints.web.exposure.include=*",
			"management.health.redis.enabled=false" })
	@AutoConfigureMockMvc
	@ContextConfiguration(classes = Application.class)
	class Mocked {

		@MockitoBean
		private LockRegistry registry;

		@Autowired
		private MockMvcTester mvc;

		@Autowired
		private ApplicationContext context;

		@Test
		@DisplayName("With a mock of LockRegistry the application starts, and the mock grants locks and rejects callers")
		void mock() {
			Lease lease = Mockito.mock(Lease.class);
			given(lease.isHeld()).willReturn(true);
			given(this.registry.acquire(any(LockKey.class), any(LockOptions.class))).willReturn(lease);
			assertThat(this.mvc.post().uri("/orders?id=1")).hasStatusOk();
			verify(lease).close();
			reject(this.registry);
			assertThat(this.mvc.post().uri("/orders?id=1")).hasStatus(409).bodyText().contains("request-in-progress");
		}

		@Test
		@DisplayName("A mock that returns no lease is an error at once, even for asynchronous methods")
		void grantsNothing() {
			given(this.registry.acquireAsync(any(LockKey.class), any(LockOptions.class), any(Executor.class)))
				.willReturn(CompletableFuture.completedFuture(null));
			assertThat(this.context.getBean(Orders.class).later("1")).failsWithin(Duration.ofSeconds(30))
				.withThrowableThat()
				.withMessageContaining("configure it to return one");
		}

		@Test
		@DisplayName("Beans that need this library's own registry back off")
		void backsOff() {
			assertThat(this.context.getBeanProvider(TokenLocks.class).getIfAvailable()).isNull();
			assertThat(this.context.getBean(LocksEndpoint.class)).isNotNull();
			assertThat(this.mvc.get().uri("/actuator/locks")).hasStatusOk();
			assertThat(this.mvc.get().uri("/actuator/health")).hasStatusOk().bodyText().contains("UP");
			assertThat(this.context.getBeanNamesForType(LockStore.class)).hasSize(1)
				.noneMatch(((ConfigurableApplicationContext) this.context).getBeanFactory()::containsSingleton);
		}

	}

	@Nested
	@SpringBootTest(properties = "spring.data.redis.port=1")
	@AutoConfigureMockMvc
	@ContextConfiguration(classes = Application.class)
	class ByFactoryMethod {

		@TestBean
		private LockRegistry registry;

		@Autowired
		private MockMvcTester mvc;

		static LockRegistry registry() {
			return new DefaultLockRegistry(new MemoryLockStore(), LockOptions.of(Duration.ofSeconds(10)));
		}

		@Test
		@DisplayName("With a @TestBean the application starts, and locks are acquired from that registry")
		void testBean() {
			Optional<Lease> held = this.registry.tryAcquire("order:1", Duration.ZERO);
			assertThat(held).isPresent();
			assertThat(this.mvc.post().uri("/orders?id=1")).hasStatus(409);
			held.orElseThrow().close();
			assertThat(this.mvc.post().uri("/orders?id=1")).hasStatusOk();
		}

	}

	@Nested
	@SpringBootTest(properties = "spring.data.redis.port=1")
	@AutoConfigureMockMvc
	@ContextConfiguration(classes = { Application.class, Own.class })
	class OfApplication {

		@Autowired
		private LockRegistry registry;

		@Autowired
		private MockMvcTester mvc;

		@Autowired
		private ApplicationContext context;

		@Test
		@DisplayName("With the application's own LockRegistry, locks are acquired from it, and no store exists")
		void own() {
			assertThat(this.context.getBeanNamesForType(LockStore.class)).isEmpty();
			try (Lease lease = this.registry.acquire("order:1")) {
				assertThat(lease.isHeld()).isTrue();
				assertThat(this.mvc.post().uri("/orders?id=1")).hasStatus(409);
			}
			assertThat(this.mvc.post().uri("/orders?id=1")).hasStatusOk();
		}

	}

	static class Own {

		@Bean
		LockRegistry lockRegistry() {
			return new DefaultLockRegistry(new MemoryLockStore(), LockOptions.of(Duration.ofSeconds(10)));
		}

	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import(Orders.class)
	static class Application {

	}

	@RestController
	static class Orders {

		@PostMapping("/orders")
		@ExclusiveRequest(name = "order", key = "#id")
		public String place(@RequestParam String id) {
			return id;
		}

		@ExclusiveRequest(name = "later", key = "#id", onConflict = OnConflict.WAIT)
		public CompletableFuture<String> later(String id) {
			return CompletableFuture.completedFuture(id);
		}

		@PostMapping("/reports")
		@ExclusiveRequest(name = "report", key = "#id", onConflict = OnConflict.SHARE)
		public String report(@RequestParam String id) {
			return id;
		}

	}

}
