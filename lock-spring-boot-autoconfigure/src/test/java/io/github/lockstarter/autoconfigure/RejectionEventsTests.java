package io.github.lockstarter.autoconfigure;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.EventListener;
import org.springframework.http.ResponseEntity;
import org.springframework.test.util.ReflectionTestUtils;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictEvent;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockConflictException.ConflictReason;
import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.event.LockEvents;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The events of an application whose requests are rejected.
 */
class RejectionEventsTests {

	private static final LockKey KEY = LockKey.of("order:1");

	private static final int STORM = 5_000;

	@ParameterizedTest
	@ValueSource(strings = { "servlet", "reactive" })
	@DisplayName("Each rejection of an annotated method publishes one event, and rejections of direct registry calls publish none")
	void rejections(String type) throws Exception {
		try (TestServer server = start(type, Recorder.class)) {
			Recorder recorder = server.context().getBean(Recorder.class);
			LockRegistry locks = server.context().getBean(LockRegistry.class);
			assertStatus(server, 200, "entity", "mono", "future", "shared", "briefly", "patient");
			try (Lease held = locks.acquire(KEY, locks.options("order"))) {
				assertThat(locks.tryAcquire(KEY, locks.options("order"))).isEmpty();
				assertStatus(server, 409, "entity", "entity", "entity", "mono", "future", "briefly", "shared");
				CompletableFuture<Optional<Lease>> waiting = locks
					.tryAcquireAsync(KEY, locks.options("order").withWaitTime(Duration.ofMinutes(1)))
					.toCompletableFuture();
				assertStatus(server, 409, "patient");
				waiting.cancel(false);
				assertThat(held.isHeld()).isTrue();
			}
			assertStatus(server, 200, "entity", "mono", "future", "shared", "briefly", "patient");
			Awaitility.await().until(() -> recorder.reasons.contains(ConflictReason.QUEUE_FULL));
			assertThat(recorder.reasons).containsExactly(ConflictReason.HELD, ConflictReason.HELD, ConflictReason.HELD,
					ConflictReason.HELD, ConflictReason.HELD, ConflictReason.WAIT_TIMEOUT, ConflictReason.WAIT_TIMEOUT,
					ConflictReason.QUEUE_FULL);
			assertThat(recorder.threads).allMatch((thread) -> thread.startsWith("lock-events-"));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "servlet", "reactive" })
	@DisplayName("Without a listener, or with only a listener for all events, no event is published")
	void noListener(String type) throws Exception {
		try (TestServer server = start(type, OfAll.class)) {
			LockRegistry locks = server.context().getBean(LockRegistry.class);
			try (Lease held = locks.acquire(KEY, locks.options("order"))) {
				assertStatus(server, 409, "entity", "mono", "future", "briefly", "shared");
				assertThat(held.isHeld()).isTrue();
			}
			assertThat(waiting(server)).isZero();
			assertThat(server.context().getBean(OfAll.class).conflicts).isEmpty();
		}
	}

	@Test
	@DisplayName("A listener that blocks during many rejections delays no response, a bounded number of events is queued, and the others are counted")
	void storm() throws Exception {
		try (TestServer server = start("servlet", Blocking.class)) {
			storm(server, () -> {
				for (int batch = 0; batch < STORM / 50; batch++) {
					List<CompletableFuture<HttpResponse<String>>> responses = new ArrayList<>();
					for (int i = 0; i < 50; i++) {
						responses.add(server.postAsync("/entity?number=1"));
					}
					assertThat(responses)
						.allSatisfy((response) -> assertThat(response.join().statusCode()).isEqualTo(409));
				}
			});
		}
	}

	@Test
	@DisplayName("A listener that blocks does not delay reactive callers")
	void reactiveStorm() throws Exception {
		try (TestServer server = start("reactive", Blocking.class)) {
			Orders orders = server.context().getBean(Orders.class);
			storm(server,
					() -> assertThat(Flux.range(0, STORM)
						.flatMap((each) -> orders.mono("1")
							.then(Mono.<Throwable>empty())
							.onErrorResume(LockConflictException.class, Mono::just))
						.count()
						.block(Duration.ofMinutes(1))).isEqualTo(STORM));
		}
	}

	private void storm(TestServer server, Runnable rejections) {
		Blocking listener = server.context().getBean(Blocking.class);
		Logger logger = (Logger) LoggerFactory.getLogger(LockEvents.class);
		ListAppender<ILoggingEvent> log = new ListAppender<>();
		log.list = new CopyOnWriteArrayList<>();
		log.start();
		logger.addAppender(log);
		LockRegistry locks = server.context().getBean(LockRegistry.class);
		try (Lease held = locks.acquire(KEY, locks.options("order"))) {
			rejections.run();
			assertThat(held.isHeld()).isTrue();
			assertThat(listener.heard).hasValue(1);
			assertThat(waiting(server)).isEqualTo(1_000);
			assertThat(server.context().getBean(LockCounts.class).get("order", Event.EVENT_DROPPED))
				.isEqualTo(STORM - 1_001);
			listener.goOn.countDown();
			Awaitility.await().until(() -> listener.heard.get() == 1_001 && waiting(server) == 0);
			Awaitility.await()
				.untilAsserted(() -> assertThat(log.list).singleElement().returns(Level.WARN, ILoggingEvent::getLevel));
		}
		finally {
			logger.detachAppender(log);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "servlet", "reactive" })
	@DisplayName("A listener that throws changes no response, and gets the next event")
	void failingListener(String type) throws Exception {
		try (TestServer server = start(type, Failing.class)) {
			LockRegistry locks = server.context().getBean(LockRegistry.class);
			try (Lease held = locks.acquire(KEY, locks.options("order"))) {
				assertStatus(server, 409, "entity", "mono", "future");
				assertThat(held.isHeld()).isTrue();
			}
			Awaitility.await().until(() -> server.context().getBean(Failing.class).heard.get() == 3);
			assertStatus(server, 200, "entity");
		}
	}

	private static TestServer start(String type, Class<?> listener) {
		return TestServer.start(new Class<?>[] { TestServer.Application.class, Orders.class, listener },
				"spring.main.web-application-type=" + type, "lock.store=memory", "lock.max-waiters=1");
	}

	private static void assertStatus(TestServer server, int status, String... paths) throws Exception {
		for (String path : paths) {
			assertThat(server.post("/" + path + "?number=1").statusCode()).as(path).isEqualTo(status);
		}
	}

	private static int waiting(TestServer server) {
		return ((AtomicInteger) field(server.context(), "waiting")).get();
	}

	private static Object field(ConfigurableApplicationContext context, String name) {
		return Objects.requireNonNull(ReflectionTestUtils.getField(context.getBean(LockEvents.class), name));
	}

	@RestController
	static class Orders {

		@PostMapping("/entity")
		@ExclusiveRequest(name = "order", key = "#number")
		public ResponseEntity<String> entity(@RequestParam String number) {
			return ResponseEntity.ok("done");
		}

		@PostMapping("/mono")
		@ExclusiveRequest(name = "order", key = "#number")
		public Mono<String> mono(@RequestParam String number) {
			return Mono.just("done");
		}

		@PostMapping("/future")
		@ExclusiveRequest(name = "order", key = "#number")
		public CompletableFuture<String> future(@RequestParam String number) {
			return CompletableFuture.completedFuture("done");
		}

		@PostMapping("/shared")
		@ExclusiveRequest(name = "order", key = "#number", onConflict = OnConflict.SHARE, waitTime = "1ms")
		public Mono<String> shared(@RequestParam String number) {
			return Mono.just("done");
		}

		@PostMapping("/briefly")
		@ExclusiveRequest(name = "order", key = "#number", waitTime = "1ms")
		public ResponseEntity<String> briefly(@RequestParam String number) {
			return ResponseEntity.ok("done");
		}

		@PostMapping("/patient")
		@ExclusiveRequest(name = "order", key = "#number", waitTime = "1m")
		public Mono<String> patient(@RequestParam String number) {
			return Mono.just("done");
		}

	}

	static class Recorder {

		private final List<ConflictReason> reasons = new CopyOnWriteArrayList<>();

		private final List<String> threads = new CopyOnWriteArrayList<>();

		@EventListener
		void rejected(LockConflictEvent event) {
			assertThat(event.key()).isEqualTo(KEY);
			this.threads.add(Thread.currentThread().getName());
			this.reasons.add(event.reason());
		}

	}

	static class OfAll {

		private final List<LockConflictEvent> conflicts = new CopyOnWriteArrayList<>();

		@EventListener
		void any(Object event) {
			if (event instanceof LockConflictEvent conflict) {
				this.conflicts.add(conflict);
			}
		}

	}

	static class Blocking {

		private final AtomicInteger heard = new AtomicInteger();

		private final CountDownLatch goOn = new CountDownLatch(1);

		@EventListener
		void rejected(LockConflictEvent event) throws InterruptedException {
			this.heard.incrementAndGet();
			this.goOn.await();
		}

	}

	static class Failing {

		private final AtomicInteger heard = new AtomicInteger();

		@EventListener
		void rejected(LockConflictEvent event) {
			this.heard.incrementAndGet();
			throw new IllegalStateException("on purpose");
		}

	}

}
