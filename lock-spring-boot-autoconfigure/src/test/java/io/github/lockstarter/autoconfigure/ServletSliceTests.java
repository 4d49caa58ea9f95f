package io.github.lockstarter.autoconfigure;

import java.util.Locale;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.testing.TestRedis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A slice test of a Spring MVC application without a connection to Redis.
 */
class ServletSliceTests {

	@Nested
	@WebMvcTest(properties = "lock.store=memory")
	@ContextConfiguration(classes = Application.class)
	class InMemory {

		@Autowired
		private MockMvcTester mvc;

		@Autowired
		private LockRegistry locks;

		@Autowired
		private ApplicationContext context;

		@Test
		@DisplayName("With lock.store=memory, a slice test works without Redis: a concurrent request is rejected with problem details")
		void guarded() {
			assertThat(this.mvc.post().uri("/orders?id=1")).hasStatusOk().hasBodyTextEqualTo("true");
			try (Lease lease = this.locks.acquire("order:1")) {
				assertThat(lease.isHeld()).isTrue();
				assertThat(this.mvc.post().uri("/orders?id=1")).hasStatus(409)
					.hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
					.containsHeader("Retry-After")
					.bodyText()
					.contains("request-in-progress");
				assertThat(this.mvc.post().uri("/orders?id=2")).hasStatusOk();
			}
			assertThat(this.mvc.post().uri("/orders?id=")).hasStatus(400).bodyText().contains("key-missing");
			assertThat(this.context.getBeanDefinitionNames()).isNotEmpty()
				.noneMatch((name) -> name.toLowerCase(Locale.ROOT).contains("redis"));
		}

	}

	@Nested
	@WebMvcTest(properties = { "lock.store=memory", "lock.tttl=5s" })
	@ContextConfiguration(classes = Application.class)
	@ExtendWith(OutputCaptureExtension.class)
	class Misspelt {

		@Test
		@DisplayName("An unknown property logs one warning")
		void once(CapturedOutput output) {
			assertThat(output.getAll().lines().filter((line) -> line.contains("lock.tttl"))).singleElement()
				.asString()
				.contains("the nearest is lock.ttl");
		}

	}

	@Nested
	@WebMvcTest
	@ContextConfiguration(classes = Application.class)
	class WithoutStore {

		@Autowired
		private MockMvcTester mvc;

		@Test
		@DisplayName("Without lock.store, only guarded methods fail; they never run without the lock, and the message says what to set")
		void unguarded() {
			assertThat(this.mvc.post().uri("/unguarded")).hasStatusOk();
			assertThat(this.mvc.post().uri("/orders?id=1")).hasFailed()
				.failure()
				.rootCause()
				.isInstanceOf(LockConfigurationException.class)
				.hasMessageContaining("lock.store is redis")
				.hasMessageContaining("@WebMvcTest(properties = \"lock.store=memory\")");
		}

	}

	@Nested
	@WebMvcTest(properties = "lock.names.disabled.enabled=false")
	@ContextConfiguration(classes = Application.class)
	class WithoutNeedOfLocks {

		@Autowired
		private MockMvcTester mvc;

		@Test
		@DisplayName("A call whose condition is false, or whose lock is disabled by name, needs no store")
		void runs() {
			assertThat(this.mvc.post().uri("/conditional?id=free")).hasStatusOk().hasBodyTextEqualTo("free");
			assertThat(this.mvc.post().uri("/disabled")).hasStatusOk().hasBodyTextEqualTo("done");
			assertThat(this.mvc.post().uri("/conditional?id=1")).hasFailed()
				.failure()
				.rootCause()
				.isInstanceOf(LockConfigurationException.class);
		}

	}

	@Nested
	@WebMvcTest(properties = "lock.enabled=false")
	@ContextConfiguration(classes = Application.class)
	class WithoutLocks {

		@Autowired
		private MockMvcTester mvc;

		@Test
		@DisplayName("With lock.enabled=false, no call needs a store")
		void runs() {
			assertThat(this.mvc.post().uri("/conditional?id=1")).hasStatusOk().hasBodyTextEqualTo("1");
			assertThat(this.mvc.post().uri("/disabled")).hasStatusOk().hasBodyTextEqualTo("done");
		}

	}

	@Nested
	@WebMvcTest
	@ContextConfiguration(classes = Application.class)
	@ImportAutoConfiguration(DataRedisAutoConfiguration.class)
	class WithRedis {

		@Autowired
		private MockMvcTester mvc;

		@Autowired
		private LockStore store;

		@DynamicPropertySource
		static void redis(DynamicPropertyRegistry registry) {
			registry.add("spring.data.redis.host", TestRedis::host);
			registry.add("spring.data.redis.port", TestRedis::port);
			registry.add("lock.redis.command-timeout", () -> "30s");
		}

		@Test
		@DisplayName("A Redis connection that the test provides is used")
		void guarded() {
			assertThat(this.store).isInstanceOf(RedisLockStore.class);
			assertThat(this.mvc.post().uri("/orders?id=1")).hasStatusOk();
		}

	}

	@Nested
	@WebMvcTest(properties = "lock.store=memory")
	@ContextConfiguration(classes = ApplicationByInterface.class)
	class ByInterface {

		@Autowired
		private MockMvcTester mvc;

		@Test
		@DisplayName("Controllers that implement an interface keep their mappings, annotated or not")
		void mapped() {
			assertThat(this.mvc.post().uri("/api/locked?id=1")).hasStatusOk().hasBodyTextEqualTo("locked 1");
			assertThat(this.mvc.post().uri("/api/locked?id=")).hasStatus(400);
			assertThat(this.mvc.get().uri("/api/list")).hasStatusOk();
			assertThat(this.mvc.post().uri("/api/plain?id=1")).hasStatusOk().hasBodyTextEqualTo("plain 1");
		}

	}

	@SpringBootConfiguration
	@Import({ LockedApi.class, PlainApi.class })
	static class ApplicationByInterface {

	}

	interface Api {

		String place(String id);

	}

	@RestController
	static class LockedApi implements Api {

		@Override
		@PostMapping("/api/locked")
		@ExclusiveRequest(key = "#id")
		public String place(String id) {
			return "locked " + id;
		}

		@GetMapping("/api/list")
		public String list() {
			return "all";
		}

	}

	@RestController
	static class PlainApi implements Api {

		@Override
		@PostMapping("/api/plain")
		public String place(String id) {
			return "plain " + id;
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
		public String place(String id, Lease lease) {
			return Boolean.toString(lease.isHeld());
		}

		@PostMapping("/conditional")
		@ExclusiveRequest(name = "conditional", key = "#id", condition = "#id != 'free'", waitTime = "1s")
		public String conditional(String id) {
			return id;
		}

		@PostMapping("/disabled")
		@ExclusiveRequest(name = "disabled")
		public String disabled() {
			return "done";
		}

		@PostMapping("/unguarded")
		public String unguarded() {
			return "done";
		}

	}

}
