package io.github.lockstarter.actuate;

import java.time.Duration;

import io.micrometer.core.instrument.search.Search;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.count.LockEventCounter;
import io.github.lockstarter.registry.LockInspector;
import io.github.lockstarter.registry.DefaultLockRegistry;
import io.github.lockstarter.registry.RegistrySettings;
import io.github.lockstarter.store.memory.MemoryLockStore;

import static org.assertj.core.api.Assertions.assertThat;

class LockMetricsTests {

	private final LockEventCounter counts = new LockEventCounter();

	private final DefaultLockRegistry locks = new DefaultLockRegistry(new MemoryLockStore(),
			RegistrySettings.of(LockOptions.of(Duration.ofSeconds(10))).withCounts(this.counts));

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	@AfterEach
	void close() {
		this.locks.close();
	}

	@Test
	@DisplayName("The gauges of a name show its held locks and its waiters, including those from before the binding")
	void gauges() {
		Lease one = this.locks.acquire("team:1");
		Lease two = this.locks.acquire("team:2");
		Lease other = this.locks.acquire("other");
		new LockMetrics(this.counts, new LockInspector(this.locks)).bindTo(this.meters);
		assertThat(gauge("lock.held", "team")).isEqualTo(2);
		assertThat(gauge("lock.held", "other")).isOne();
		assertThat(gauge("lock.waiters", "team")).isZero();
		var waiting = this.locks.tryAcquireAsync("team:1", Duration.ofSeconds(10)).toCompletableFuture();
		var gone = this.locks.tryAcquireAsync("team:1", Duration.ofSeconds(10)).toCompletableFuture();
		assertThat(gauge("lock.waiters", "team")).isEqualTo(2);
		gone.cancel(false);
		assertThat(gauge("lock.waiters", "team")).isOne();
		one.close();
		waiting.join().orElseThrow().close();
		two.close();
		other.close();
		assertThat(gauge("lock.held", "team")).isZero();
		assertThat(gauge("lock.waiters", "team")).isZero();
	}

	@Test
	@DisplayName("A thousand keys of one name share its meters, and a name that appears later gets meters, too")
	void namesOnly() {
		new LockMetrics(this.counts, new LockInspector(this.locks)).bindTo(this.meters);
		for (int i = 0; i < 1000; i++) {
			this.locks.acquire("early:" + i).close();
		}
		this.locks.acquire("late:1").close();
		// Meters are registered after the response.
		Awaitility.await().untilAsserted(() -> assertThat(meters("late")).isPositive().isEqualTo(meters("early")));
		assertThat(this.meters.getMeters()).hasSize(meters("early") + meters("late"));
		this.counts.add("late", Event.LOST);
		assertThat(this.meters.get("lock.losses").tag("lock", "late").functionCounter().count()).isOne();
	}

	@Test
	@DisplayName("A separate meter counts callers that are rejected because the queue is full")
	void queueFull() {
		new LockMetrics(this.counts, new LockInspector(this.locks)).bindTo(this.meters);
		try (Lease held = this.locks.acquire("team:1")) {
			for (int i = 0; i < 64 + 2; i++) {
				this.locks.tryAcquireAsync("team:1", Duration.ofSeconds(10));
			}
			assertThat(held.isHeld()).isTrue();
			// The engine updates its counts after the response.
			Awaitility.await()
				.untilAsserted(() -> assertThat(
						this.meters.get("lock.queue.full").tag("lock", "team").functionCounter().count())
					.isEqualTo(2));
			assertThat(gauge("lock.waiters", "team")).isEqualTo(64);
		}
	}

	private int meters(String lock) {
		return Search.in(this.meters).tag("lock", lock).meters().size();
	}

	private double gauge(String meter, String lock) {
		return this.meters.get(meter).tag("lock", lock).gauge().value();
	}

}
