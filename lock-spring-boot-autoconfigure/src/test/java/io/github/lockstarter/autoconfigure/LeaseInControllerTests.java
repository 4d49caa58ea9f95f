package io.github.lockstarter.autoconfigure;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.SharedServers;
import io.github.lockstarter.testing.TestRedis;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LeaseInControllerTests {

	@AutoClose
	private static final SharedServers servers = new SharedServers();

	@Test
	@DisplayName("A Lease parameter is resolved, and its fencing token grows with each request")
	void fencingToken() throws Exception {
		TestServer server = shared();
		long before = 0;
		for (int i = 0; i < 3; i++) {
			long token = Long.parseLong(server.post("/tokens?key=a").body());
			assertThat(token).isGreaterThan(before);
			before = token;
		}
	}

	@Test
	@DisplayName("If the condition is false, the Lease parameter is absent")
	void condition() throws Exception {
		TestServer server = shared();
		assertThat(server.post("/conditional?lock=true").body()).isEqualTo("held: true");
		assertThat(server.post("/conditional?lock=false").body()).isEqualTo("no lease");
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("A Lease parameter of a handler without a lock prevents startup, and the message names the handler")
	void unlocked(boolean lazy) {
		new WebApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(WebMvcAutoConfiguration.class, AopAutoConfiguration.class,
					LockAutoConfiguration.class))
			.withPropertyValues("lock.store=memory")
			.withInitializer((context) -> {
				if (lazy) {
					context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor());
				}
			})
			.withBean(UnlockedController.class)
			.run((context) -> {
				assertThat(context).hasFailed();
				assertThat(context.getStartupFailure()).isInstanceOf(LockConfigurationException.class)
					.hasMessageContainingAll("UnlockedController.unlocked(", "@ExclusiveRequest");
			});
	}

	@Test
	@DisplayName("A request to a handler with a Lease parameter but no lock, registered after startup, gets status 500")
	void unlockedLater() throws Exception {
		TestServer server = shared();
		RequestMappingHandlerMapping mapping = server.context()
			.getBean("requestMappingHandlerMapping", RequestMappingHandlerMapping.class);
		RequestMappingInfo unlocked = RequestMappingInfo.paths("/unlocked")
			.options(mapping.getBuilderConfiguration())
			.build();
		mapping.registerMapping(unlocked, new UnlockedController(),
				UnlockedController.class.getDeclaredMethod("unlocked", Lease.class));
		assertThat(server.post("/unlocked").statusCode()).isEqualTo(500);
		mapping.unregisterMapping(unlocked);
	}

	@Test
	@DisplayName("At shutdown, running requests complete, requests waiting for a lock get status 503, and all locks are released")
	void shutdown() throws Exception {
		TestServer server = start();
		Controller controller = server.context().getBean(Controller.class);
		try {
			LockRegistry locks = server.context().getBean(LockRegistry.class);
			CompletableFuture<HttpResponse<String>> working = server.postAsync("/work");
			Awaitility.await().until(() -> controller.calls() == 1);
			CompletableFuture<HttpResponse<String>> waiting = server.postAsync("/work");
			Awaitility.await().until(() -> new GuardedHandlers(server).waiters() == 1);
			Lease forgotten = locks.acquire("forgotten");
			// Not on the common pool, which may have a single thread, shared with the
			// HTTP client.
			CompletableFuture<Void> closing = CompletableFuture.runAsync(server::close,
					(close) -> new Thread(close).start());
			assertThat(waiting).succeedsWithin(Duration.ofSeconds(10)).satisfies((response) -> {
				assertThat(response.statusCode()).isEqualTo(503);
				assertThat(response.headers().firstValue("Retry-After")).hasValue("1");
			});
			assertThat(working).isNotDone();
			controller.finish();
			assertThat(working).succeedsWithin(Duration.ofSeconds(10))
				.satisfies((response) -> assertThat(response.body()).isEqualTo("held: true"));
			assertThat(closing).succeedsWithin(Duration.ofSeconds(20));
			assertThat(forgotten.isHeld()).isFalse();
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> locks.acquire("work"));
			try (TestServer next = start()) {
				next.context().getBean(LockRegistry.class).acquire("forgotten").close();
			}
		}
		finally {
			controller.finish();
			server.close();
		}
	}

	@Test
	@DisplayName("After a stop and a restart, the application context acquires locks again")
	void restart() throws Exception {
		try (TestServer server = start()) {
			server.context().stop();
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> server.context().getBean(LockRegistry.class).acquire("work"));
			server.context().start();
			server.context().getBean(LockRegistry.class).acquire("work").close();
		}
	}

	private static TestServer shared() {
		return servers.get(sources(), properties());
	}

	private static TestServer start() {
		return TestServer.start(sources(), properties());
	}

	private static Class<?>[] sources() {
		return new Class<?>[] { TestServer.Application.class, Controller.class };
	}

	private static String[] properties() {
		return Stream.concat(Stream.of(TestRedis.properties()), Stream.of("lock.redis.key-prefix=lease"))
			.toArray(String[]::new);
	}

	@RestController
	static class Controller {

		private final CountDownLatch go = new CountDownLatch(1);

		private volatile int calls;

		void finish() {
			this.go.countDown();
		}

		int calls() {
			return this.calls;
		}

		@PostMapping("/tokens")
		@ExclusiveRequest(name = "tokens", key = "#key")
		public String token(@RequestParam String key, Lease lease) {
			return Long.toString(lease.fencingToken());
		}

		@PostMapping("/conditional")
		@ExclusiveRequest(name = "conditional", condition = "#lock")
		public String conditional(@Nullable Lease lease, @RequestParam boolean lock) {
			return (lease != null) ? "held: " + lease.isHeld() : "no lease";
		}

		@PostMapping("/work")
		@ExclusiveRequest(name = "work", waitTime = "1m")
		public String work(Lease lease) throws InterruptedException {
			this.calls++;
			this.go.await();
			return "held: " + lease.isHeld();
		}

	}

	@RestController
	static class UnlockedController {

		@PostMapping("/unlocked")
		public String unlocked(Lease lease) {
			return "unlocked";
		}

	}

}
