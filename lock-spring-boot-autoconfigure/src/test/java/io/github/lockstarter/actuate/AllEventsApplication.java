package io.github.lockstarter.actuate;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.micrometer.core.instrument.MeterRegistry;
import org.awaitility.Awaitility;
import org.mockito.ArgumentMatchers;
import org.mockito.Mockito;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.registry.LockInspector;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.memory.MemoryLockStore;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * A running application whose locks have had every event that operators can observe, and
 * that still holds one lock.
 */
final class AllEventsApplication implements AutoCloseable {

	private static final LockKey KEY = LockKey.of("order:1");

	private static final LockOptions REJECTING = LockOptions.of(Duration.ofSeconds(10));

	private static final LockOptions WAITING = REJECTING.withWaitTime(Duration.ofSeconds(10));

	private final TestServer server;

	private final LockRegistry locks;

	private final LockCounts counts;

	private AllEventsApplication(TestServer server) {
		this.server = server;
		this.locks = server.context().getBean(LockRegistry.class);
		this.counts = server.context().getBean(LockCounts.class);
	}

	static AllEventsApplication start(String... properties) {
		String[] all = Stream
			.concat(Stream.of("lock.store=memory", "lock.max-waiters=2", "management.endpoints.web.exposure.include=*"),
					Stream.of(properties))
			.toArray(String[]::new);
		AllEventsApplication application = new AllEventsApplication(
				TestServer.start(new Class<?>[] { TestServer.CompleteApplication.class, Parts.class }, all));
		application.letAllHappen();
		return application;
	}

	MeterRegistry meters() {
		return this.server.context().getBean(MeterRegistry.class);
	}

	String scrape() throws Exception {
		return this.server.get("/actuator/prometheus").body();
	}

	@Override
	public void close() {
		this.server.close();
	}

	private void letAllHappen() {
		grantRejectAndWait();
		renew();
		lose();
		fail();
		shareAndReplay();
		this.locks.acquire(KEY, REJECTING);
	}

	private void grantRejectAndWait() {
		Lease lease = this.locks.acquire(KEY, REJECTING);
		assertThat(this.locks.tryAcquire(KEY, REJECTING)).isEmpty();
		assertThat(this.locks.tryAcquire(KEY, REJECTING.withWaitTime(Duration.ofMillis(1)))).isEmpty();
		CompletableFuture<Optional<Lease>> next = this.locks.tryAcquireAsync(KEY, WAITING).toCompletableFuture();
		CompletableFuture<Optional<Lease>> cancelled = this.locks.tryAcquireAsync(KEY, WAITING).toCompletableFuture();
		assertThat(this.locks.tryAcquire(KEY, WAITING)).isEmpty();
		cancelled.cancel(false);
		lease.close();
		next.join().orElseThrow().close();
		assertHappened(Event.GRANTED, Event.CONFLICT, Event.TIMEOUT, Event.QUEUE_FULL, Event.CANCELLED, Event.RELEASED,
				Event.CONTENDED);
	}

	private void renew() {
		try (Lease lease = this.locks.acquire(KEY, LockOptions.of(Duration.ofSeconds(3)))) {
			Awaitility.await().until(() -> this.counts.get(KEY.name(), Event.RENEWED) > 0);
			assertThat(lease.isHeld()).isTrue();
		}
	}

	private void lose() {
		Lease lease = this.locks.acquire(KEY, REJECTING);
		assertThat(this.server.context()
			.getBean(LockInspector.class)
			.forceRelease(KEY, lease.fencingToken())
			.toCompletableFuture()
			.join()).isTrue();
		lease.close();
		assertHappened(Event.LOST);
	}

	private void fail() {
		assertThatThrownBy(() -> this.locks.acquire(LockKey.of(Parts.BROKEN), REJECTING))
			.isInstanceOf(LockStoreException.class);
		Awaitility.await().until(() -> this.counts.get(Parts.BROKEN, Event.STORE_ERROR) > 0);
	}

	private void shareAndReplay() {
		Orders orders = this.server.context().getBean(Orders.class);
		CompletableFuture<String> first = orders.report("1");
		CompletableFuture<String> second = orders.report("1");
		orders.finish("done");
		assertThat(first.join()).isEqualTo(second.join());
		assertThat(orders.place("1")).isEqualTo(orders.place("1"));
		assertHappened(Event.RESULT, Event.SHARED, Event.REPLAYED);
	}

	private void assertHappened(Event... events) {
		// The engine updates its counts after the response.
		Awaitility.await()
			.untilAsserted(() -> assertThat(events)
				.allSatisfy((event) -> assertThat(this.counts.get(KEY.name(), event)).isPositive()));
	}

	@Configuration(proxyBeanMethods = false)
	static class Parts {

		static final String BROKEN = "broken";

		@Bean
		LockStore store() {
			MemoryLockStore store = Mockito.spy(new MemoryLockStore());
			StoredLock broken = Mockito.spy(store.lock(new LockKey(BROKEN, "")));
			Mockito.doReturn(CompletableFuture.failedFuture(new IllegalStateException("broken on purpose")))
				.when(broken)
				.acquire(ArgumentMatchers.any());
			Mockito.doReturn(broken)
				.when(store)
				.lock(ArgumentMatchers.argThat((key) -> key != null && key.name().equals(BROKEN)));
			return store;
		}

		@Bean
		Orders orders() {
			return new Orders();
		}

	}

	static class Orders {

		private final CompletableFuture<String> report = new CompletableFuture<>();

		@ExclusiveRequest(name = "order", key = "#number", onConflict = OnConflict.SHARE)
		public CompletableFuture<String> report(String number) {
			return this.report;
		}

		public void finish(String result) {
			this.report.complete(result);
		}

		@ExclusiveRequest(name = "order", key = "#number", replay = "1h")
		public String place(String number) {
			return number;
		}

	}

}
