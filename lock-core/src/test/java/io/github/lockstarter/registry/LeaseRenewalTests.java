package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLostEvent;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.store.LockStore.Renewal;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class LeaseRenewalTests {

	private static final LockKey KEY = new LockKey("renewal", "taro");

	private static final LockOptions SHORT = LockOptions.of(Duration.ofMillis(300));

	private static final LockOptions RENEWED = LockOptions.of(Duration.ofSeconds(3));

	private final VirtualRuntime runtime = new VirtualRuntime();

	private final ObservedStore store = new ObservedStore(this.runtime::nanoTime);

	private final List<LeaseLostEvent> losses = new ArrayList<>();

	private final DefaultLockRegistry locks = registry(this.losses::add);

	private DefaultLockRegistry registry(Consumer<LeaseLostEvent> losses) {
		return new DefaultLockRegistry(this.store,
				RegistrySettings.of(SHORT).withLosses(losses).withRuntime(this.runtime));
	}

	@AfterEach
	void close() {
		this.locks.close();
	}

	@Test
	@DisplayName("A lease is renewed after each third of its time to live while it is held, and no longer")
	void renews() {
		Lease lease = this.locks.acquire(KEY, RENEWED);
		for (int renewals = 0; renewals < 7; renewals++) {
			this.runtime.pass(Duration.ofMillis(999));
			assertThat(this.store.renewals).hasSize(renewals);
			this.runtime.pass(Duration.ofMillis(1));
			assertThat(this.store.renewals).hasSize(renewals + 1);
			assertThat(lease.remaining()).isEqualTo(RENEWED.ttl());
		}
		assertThat(lease.isHeld()).isTrue();
		lease.close();
		this.runtime.pass(RENEWED.ttl());
		assertThat(this.store.renewals).hasSize(7);
		assertThat(this.runtime.alarms()).isZero();
		assertThat(this.losses).isEmpty();
	}

	@Test
	@DisplayName("A lease without renewal ends after its time to live")
	void withoutRenewal(CapturedOutput output) {
		Lease lease = this.locks.acquire(KEY, SHORT.withoutRenewal());
		this.runtime.pass(SHORT.ttl().minusNanos(1));
		assertThat(lease.isHeld()).isTrue();
		assertThat(this.losses).isEmpty();
		this.runtime.pass(Duration.ofNanos(1));
		assertThat(lease.isHeld()).isFalse();
		assertThat(this.losses).hasSize(1);
		assertThat(this.store.renewals).isEmpty();
		assertThat(output).contains("its ttl of 300ms has passed, and it is not renewed");
	}

	@Test
	@DisplayName("Renewal continues after store errors")
	void survivesErrors() {
		Lease lease = this.locks.acquire(KEY, RENEWED);
		this.store.broken = true;
		this.runtime.pass(Duration.ofMillis(2900));
		assertThat(this.store.renewals).hasSizeGreaterThanOrEqualTo(3);
		this.store.broken = false;
		this.runtime.pass(RENEWED.ttl().multipliedBy(2));
		assertThat(lease.isHeld()).isTrue();
		assertThat(this.losses).isEmpty();
		lease.close();
	}

	@Test
	@DisplayName("If the store stays unavailable, the lease is lost at its own deadline, and reported once in every way, without the key")
	void lostByDeadline(CapturedOutput output) {
		AtomicInteger told = new AtomicInteger();
		Lease lease = this.locks.acquire(KEY, RENEWED);
		lease.onLost(told::incrementAndGet);
		lease.onLost(() -> {
			throw new IllegalStateException("mistake of the application");
		});
		this.store.broken = true;
		this.runtime.pass(RENEWED.ttl().minusNanos(1));
		assertThat(lease.isHeld()).isTrue();
		assertThat(this.losses).isEmpty();
		this.runtime.pass(Duration.ofNanos(1));
		assertThat(lease.isHeld()).isFalse();
		assertThat(told).hasValue(1);
		lease.close();
		lease.close();
		lease.onLost(told::incrementAndGet);
		this.runtime.settle();
		assertThat(told).hasValue(2);
		assertThat(this.losses).containsExactly(new LeaseLostEvent(KEY, lease.fencingToken()));
		assertThat(output).containsOnlyOnce("was lost")
			.contains("the store was unavailable, or this instance was paused, for the ttl of ")
			.doesNotContain("taro")
			.doesNotContain("may not have been released");
	}

	@Test
	@DisplayName("If the store has lost the lease, the next renewal detects it, before the deadline")
	void lostByRenewal(CapturedOutput output) {
		Lease lease = this.locks.acquire(KEY, RENEWED);
		this.store.loseData();
		this.runtime.pass(RENEWED.ttl().dividedBy(3));
		assertThat(lease.isHeld()).isFalse();
		assertThat(this.losses).hasSize(1);
		assertThat(output).containsOnlyOnce("no longer had it when it was to be renewed");
		assertThat(this.locks.tryAcquire(KEY, SHORT)).isPresent();
	}

	@Test
	@DisplayName("After a reconnect, all leases are renewed at once")
	void lostByReconnect() {
		Lease lease = this.locks.acquire(KEY, LockOptions.of(Duration.ofMinutes(1)));
		Lease other = this.locks.acquire(new LockKey("renewal", "jiro"), LockOptions.of(Duration.ofMinutes(1)));
		this.store.loseData();
		this.store.reconnect();
		this.runtime.settle();
		assertThat(lease.isHeld()).isFalse();
		assertThat(other.isHeld()).isFalse();
		assertThat(this.store.renewals).hasSize(1);
	}

	@Test
	@DisplayName("If a renewal sent before a reconnect fails after it, the lease is renewed again at once")
	void lostByReconnectDuringRenewal() {
		Lease lease = this.locks.acquire(KEY, RENEWED);
		this.store.withholding = true;
		this.runtime.pass(RENEWED.ttl().dividedBy(3));
		this.store.loseData();
		this.store.reconnect();
		this.store.fail();
		this.store.broken = false;
		this.runtime.settle();
		assertThat(this.store.renewals).hasSize(2);
		assertThat(lease.isHeld()).isFalse();
	}

	@Test
	@DisplayName("If a renewal is in flight when a lease expires, a reconnect does not end the lease before the answer is read")
	void reconnectBeforeTheAnswer() {
		Lease lease = this.locks.acquire(KEY, RENEWED);
		this.store.executingAtOnce = true;
		this.store.withholding = true;
		this.runtime.pass(RENEWED.ttl().plusMillis(10));
		this.store.reconnect();
		this.runtime.settle();
		this.store.deliver();
		assertThat(lease.isHeld()).isTrue();
		assertThat(this.losses).isEmpty();
	}

	@Test
	@DisplayName("If the answer to a renewal sent before a reconnect is read after it, the lease is renewed again at once")
	void lostByReconnectBeforeTheAnswer() {
		Lease lease = this.locks.acquire(KEY, RENEWED);
		this.store.broken = true;
		this.runtime.pass(Duration.ofMillis(2200));
		this.store.broken = false;
		this.store.executingAtOnce = true;
		this.store.withholding = true;
		this.runtime.pass(Duration.ofMillis(810));
		int before = this.store.renewals.size();
		this.store.loseData();
		this.store.reconnect();
		this.store.deliver();
		this.runtime.settle();
		assertThat(this.store.renewals).hasSize(before + 1);
		assertThat(lease.isHeld()).isFalse();
		assertThat(this.losses).hasSize(1);
	}

	@Test
	@DisplayName("A reconnect right after the grant does not end renewal")
	void reconnectAfterGrant() {
		List<Lease> leases = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			leases.add(this.locks.acquire(new LockKey("renewal", "" + i), RENEWED));
			this.store.reconnect();
		}
		this.runtime.pass(RENEWED.ttl().multipliedBy(2));
		assertThat(leases).allMatch(Lease::isHeld);
		assertThat(this.losses).isEmpty();
	}

	@Test
	@DisplayName("Renewal continues after an exception of the store")
	void survivesThrowing() {
		Lease lease = this.locks.acquire(KEY, RENEWED);
		this.store.throwing = true;
		this.runtime.pass(RENEWED.ttl().dividedBy(2));
		int renewals = this.store.renewals.size();
		assertThat(renewals).isGreaterThanOrEqualTo(2);
		this.store.throwing = false;
		this.runtime.pass(RENEWED.ttl());
		assertThat(this.store.renewals).hasSizeGreaterThanOrEqualTo(renewals + 2);
		assertThat(lease.isHeld()).isTrue();
		lease.close();
	}

	@Test
	@DisplayName("A listener that fails affects no lease")
	void failingListener(CapturedOutput output) {
		try (DefaultLockRegistry locks = registry((loss) -> {
			throw new IllegalStateException("mistake of the application");
		})) {
			Lease lease = locks.acquire(KEY, SHORT.withoutRenewal());
			this.runtime.pass(SHORT.ttl());
			assertThat(output).contains("for the loss of lock 'renewal' failed");
			assertThat(lease.isHeld()).isFalse();
			locks.acquire(KEY, SHORT).close();
		}
	}

	@Test
	@DisplayName("A lock held for max-hold is lost, so that a hung handler does not hold it forever")
	void maxHold(CapturedOutput output) {
		Lease lease = this.locks.acquire(KEY, RENEWED.withMaxHold(Duration.ofMillis(4500)));
		CompletableFuture<Optional<Lease>> waiting = this.locks
			.tryAcquireAsync(KEY, SHORT.withWaitTime(Duration.ofSeconds(10)))
			.toCompletableFuture();
		this.runtime.pass(Duration.ofMillis(4499));
		assertThat(lease.isHeld()).isTrue();
		assertThat(waiting).isNotDone();
		this.runtime.pass(Duration.ofMillis(101));
		assertThat(lease.isHeld()).isFalse();
		assertThat(waiting).isCompletedWithValueMatching(Optional::isPresent);
		assertThat(output).containsOnlyOnce("was held for longer than 4s500ms");
		assertThat(this.store.renewals.get(this.store.renewals.size() - 1))
			.as("the last renewal lasts to that end only")
			.allSatisfy((last) -> assertThat(last.ttl()).isLessThan(RENEWED.ttl()));
	}

	@Test
	@DisplayName("10,000 leases are renewed in few round trips by one timer, and each renewal ends with the release")
	void manyLeases() {
		List<Lease> leases = new ArrayList<>();
		for (int i = 0; i < 10_000; i++) {
			leases.add(this.locks.acquire(new LockKey("many", "" + i), RENEWED));
			this.runtime.pass(Duration.ofNanos(50_000));
		}
		assertThat(this.runtime.alarms()).isOne();
		this.runtime.pass(RENEWED.ttl());
		assertThat(leases).allMatch(Lease::isHeld);
		assertThat(renewed()).isGreaterThanOrEqualTo(30_000);
		assertThat(this.store.renewals).as("round trips").hasSizeLessThan(20);
		leases.forEach(Lease::close);
		int before = renewed();
		this.runtime.pass(RENEWED.ttl());
		assertThat(renewed()).isEqualTo(before);
		assertThat(this.losses).isEmpty();
	}

	@Test
	@DisplayName("A registry that closes releases the held locks, notifies their holders, and stops renewing")
	void closed() {
		AtomicInteger told = new AtomicInteger();
		Lease lease = this.locks.acquire(KEY, RENEWED);
		lease.onLost(told::incrementAndGet);
		this.locks.close();
		assertThat(lease.isHeld()).isFalse();
		assertThat(this.store.releases).hasValue(1);
		this.runtime.settle();
		assertThat(told).hasValue(1);
		assertThat(this.losses).hasSize(1);
		this.runtime.pass(RENEWED.ttl());
		assertThat(this.store.renewals).isEmpty();
	}

	private int renewed() {
		return this.store.renewals.stream().mapToInt(List<Renewal>::size).sum();
	}

}
