package io.github.lockstarter.registry;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.micrometer.observation.ObservationRegistry;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLostEvent;
import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.store.LockStore.Renewal;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class LeaseRenewalTests {

	private static final LockKey KEY = new LockKey("renewal", "taro");

	/** What is to run out. */
	private static final LockOptions SHORT = LockOptions.of(Duration.ofMillis(300));

	/** What is to be renewed in time by a machine that stands still for a moment. */
	private static final LockOptions RENEWED = LockOptions.of(Duration.ofSeconds(3));

	private final ObservedStore store = new ObservedStore();

	private final List<LeaseLostEvent> losses = new CopyOnWriteArrayList<>();

	private final DefaultLockRegistry locks = new DefaultLockRegistry(this.store, (name) -> SHORT, 64, this.losses::add,
			new LockCounts(), ObservationRegistry.NOOP);

	@AfterEach
	void close() {
		this.locks.close();
	}

	@Test
	@DisplayName("A lease is renewed at a third of its time to live for as long as it is held, and no longer")
	void renews() {
		long start = System.nanoTime();
		Lease lease = this.locks.acquire(KEY, RENEWED);
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> this.store.renewals.size() >= 7);
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(RENEWED.ttl().multipliedBy(2));
		assertThat(lease.isHeld()).isTrue();
		lease.close();
		int renewals = this.store.renewals.size();
		Awaitility.await().during(RENEWED.ttl()).until(() -> this.store.renewals.size() == renewals);
		assertThat(this.losses).isEmpty();
	}

	@Test
	@DisplayName("A lease without renewal ends with its time to live")
	void withoutRenewal(CapturedOutput output) {
		Lease lease = this.locks.acquire(KEY, SHORT.withoutRenewal());
		Awaitility.await().until(() -> !this.losses.isEmpty());
		assertThat(lease.isHeld()).isFalse();
		assertThat(this.store.renewals).isEmpty();
		Awaitility.await()
			.untilAsserted(() -> assertThat(output).contains("its ttl of PT0.3S ran out, and it is not renewed"));
	}

	@Test
	@DisplayName("Renewal outlives errors of the store")
	void survivesErrors() {
		Lease lease = this.locks.acquire(KEY, LockOptions.of(Duration.ofSeconds(6)));
		this.store.broken = true;
		Awaitility.await().until(() -> this.store.renewals.size() >= 3);
		this.store.broken = false;
		Duration before = lease.remaining();
		Awaitility.await().until(() -> lease.remaining().compareTo(before) > 0);
		assertThat(this.losses).isEmpty();
		lease.close();
	}

	@Test
	@DisplayName("A store that stays broken loses the lease at its own deadline: once told, on all ways, without the key")
	void lostByDeadline(CapturedOutput output) {
		AtomicInteger told = new AtomicInteger();
		Lease lease = this.locks.acquire(KEY, RENEWED);
		lease.onLost(told::incrementAndGet);
		lease.onLost(() -> {
			throw new IllegalStateException("mistake of the application");
		});
		this.store.broken = true;
		Awaitility.await().until(() -> !this.losses.isEmpty() && told.get() > 0);
		assertThat(lease.isHeld()).isFalse();
		lease.close();
		lease.close();
		lease.onLost(told::incrementAndGet);
		Awaitility.await().until(() -> told.get() == 2);
		assertThat(this.losses).containsExactly(new LeaseLostEvent(KEY, lease.fencingToken()));
		Awaitility.await()
			.untilAsserted(() -> assertThat(output).containsOnlyOnce("was lost")
				.contains("could not be reached")
				.doesNotContain("taro")
				.doesNotContain("may not have been released"));
	}

	@Test
	@DisplayName("A store that has forgotten the lease is noticed at the next renewal, before the deadline")
	void lostByRenewal(CapturedOutput output) {
		Lease lease = this.locks.acquire(KEY, LockOptions.of(Duration.ofSeconds(6)));
		this.store.forgetAll();
		Awaitility.await().atMost(Duration.ofSeconds(4)).until(() -> !lease.isHeld());
		Awaitility.await().until(() -> this.losses.size() == 1);
		Awaitility.await()
			.untilAsserted(() -> assertThat(output).containsOnlyOnce("forgotten it when it was to be renewed"));
		assertThat(this.locks.tryAcquire(KEY, SHORT)).isPresent();
	}

	@Test
	@DisplayName("A store that has been reached anew is asked at once what it still knows")
	void lostByReconnect() {
		Lease lease = this.locks.acquire(KEY, LockOptions.of(Duration.ofMinutes(1)));
		Lease other = this.locks.acquire(new LockKey("renewal", "jiro"), LockOptions.of(Duration.ofMinutes(1)));
		this.store.forgetAll();
		this.store.reconnect();
		Awaitility.await().atMost(Duration.ofSeconds(5)).until(() -> !lease.isHeld() && !other.isHeld());
		assertThat(this.store.renewals).hasSize(1);
	}

	@Test
	@DisplayName("A reconnect right after the grant does not end renewal")
	void reconnectAfterGrant() {
		List<Lease> leases = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			leases.add(this.locks.acquire(new LockKey("renewal", "" + i), RENEWED));
			this.store.reconnect();
		}
		long start = System.nanoTime();
		Awaitility.await().until(() -> System.nanoTime() - start > RENEWED.ttl().multipliedBy(2).toNanos());
		assertThat(leases).allMatch(Lease::isHeld);
		assertThat(this.losses).isEmpty();
	}

	@Test
	@DisplayName("Renewal outlives a store that throws")
	void survivesThrowing() {
		Lease lease = this.locks.acquire(KEY, LockOptions.of(Duration.ofSeconds(6)));
		this.store.throwing = true;
		Awaitility.await().until(() -> this.store.renewals.size() >= 2);
		this.store.throwing = false;
		int renewals = this.store.renewals.size();
		Awaitility.await().until(() -> this.store.renewals.size() >= renewals + 2);
		assertThat(lease.isHeld()).isTrue();
		lease.close();
	}

	@Test
	@DisplayName("A listener that fails harms nobody")
	void failingListener(CapturedOutput output) {
		try (DefaultLockRegistry locks = new DefaultLockRegistry(this.store, (name) -> SHORT, 64, (loss) -> {
			throw new IllegalStateException("mistake of the application");
		}, new LockCounts(), ObservationRegistry.NOOP)) {
			Lease lease = locks.acquire(KEY, SHORT.withoutRenewal());
			Awaitility.await().until(() -> output.toString().contains("at the loss of lock 'renewal' failed"));
			assertThat(lease.isHeld()).isFalse();
			locks.acquire(KEY, SHORT).close();
		}
	}

	@Test
	@DisplayName("A lock that is held for its longest is lost, so that work that hangs does not hold it for ever")
	void maxHold(CapturedOutput output) {
		long start = System.nanoTime();
		Lease lease = this.locks.acquire(KEY, RENEWED.withMaxHold(Duration.ofMillis(4500)));
		assertThat(this.locks.tryAcquire(KEY, SHORT.withWaitTime(Duration.ofSeconds(10)))).isPresent();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(4450),
				Duration.ofSeconds(14));
		assertThat(lease.isHeld()).isFalse();
		Awaitility.await().untilAsserted(() -> assertThat(output).containsOnlyOnce("was held for longer than PT4.5S"));
		assertThat(this.store.renewals.get(this.store.renewals.size() - 1))
			.as("the last renewal lasts to that end only")
			.allSatisfy((last) -> assertThat(last.ttl()).isLessThan(RENEWED.ttl()));
	}

	@Test
	@DisplayName("10,000 leases are renewed in few round trips, by one thread, and each ends with its release")
	void manyLeases() {
		LockOptions options = LockOptions.of(Duration.ofSeconds(3));
		int threads = ManagementFactory.getThreadMXBean().getThreadCount();
		List<Lease> leases = new ArrayList<>();
		for (int i = 0; i < 10_000; i++) {
			leases.add(this.locks.acquire(new LockKey("many", "" + i), options));
		}
		Awaitility.await().until(() -> renewed() >= 20_000);
		assertThat(leases).allMatch(Lease::isHeld);
		assertThat(this.store.renewals).as("round trips").hasSizeLessThan(200);
		assertThat(ManagementFactory.getThreadMXBean().getThreadCount() - threads).isLessThan(10);
		leases.forEach(Lease::close);
		int before = renewed();
		Awaitility.await().during(Duration.ofSeconds(2)).until(() -> renewed() == before);
		assertThat(this.losses).isEmpty();
	}

	@Test
	@DisplayName("A registry that is closed releases what is held, tells who holds it, and renews no more")
	void closed() {
		AtomicInteger told = new AtomicInteger();
		Lease lease = this.locks.acquire(KEY, RENEWED);
		lease.onLost(told::incrementAndGet);
		this.locks.close();
		assertThat(lease.isHeld()).isFalse();
		assertThat(this.store.releases).hasValue(1);
		Awaitility.await().until(() -> told.get() == 1 && this.losses.size() == 1);
		int renewals = this.store.renewals.size();
		Awaitility.await().during(RENEWED.ttl()).until(() -> this.store.renewals.size() == renewals);
	}

	private int renewed() {
		return this.store.renewals.stream().mapToInt(List<Renewal>::size).sum();
	}

}
