package io.github.lockstarter.test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

class TestLockRegistryTests {

	private static final Duration LONG = Duration.ofMinutes(1);

	@AutoClose
	private final TestLockRegistry locks = new TestLockRegistry();

	@Test
	@DisplayName("A lock that is held elsewhere is rejected until it is released there")
	void heldElsewhere() {
		try (OtherHolder other = this.locks.heldElsewhere("orders:1")) {
			assertThat(other).isNotNull();
			assertThat(this.locks.isHeld("orders:1")).isTrue();
			assertThatExceptionOfType(LockConflictException.class).isThrownBy(() -> this.locks.acquire("orders:1"));
			assertThat(this.locks.tryAcquire("orders:2", Duration.ZERO)).isPresent();
		}
		assertThat(this.locks.isHeld("orders:1")).isFalse();
		assertThat(this.locks.acquire("orders:1").isHeld()).isTrue();
	}

	@Test
	@DisplayName("The holder elsewhere renews its lock, whose remaining time never exceeds a ttl")
	void lastsNoLongerThanATtl() {
		this.locks.heldElsewhere("orders:1");
		assertThatExceptionOfType(LockConflictException.class).isThrownBy(() -> this.locks.acquire("orders:1"))
			.satisfies((conflict) -> assertThat(conflict.getRetryAfter()).isEqualTo(Duration.ofSeconds(10)));
	}

	@Test
	@DisplayName("Several locks are granted all or none, even if one is held elsewhere or the store fails")
	void severalLocks() {
		List<LockKey> keys = List.of(new LockKey("stock", "cup"), new LockKey("stock", "tea"));
		LockOptions options = this.locks.options("stock");
		List<Lease> leases = this.locks.acquireAll(keys, options);
		assertThat(leases).hasSize(2).allMatch(Lease::isHeld);
		leases.forEach(Lease::close);
		this.locks.heldElsewhere("stock:tea");
		assertThatExceptionOfType(LockConflictException.class).isThrownBy(() -> this.locks.acquireAll(keys, options))
			.satisfies((conflict) -> assertThat(conflict.getRetryAfter()).isEqualTo(Duration.ofSeconds(10)));
		assertThat(this.locks.acquireAllAsync(keys, options, Runnable::run)).isCompletedExceptionally();
		assertThat(this.locks.isHeld("stock:cup")).isFalse();
		this.locks.failStore();
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.locks.acquireAll(keys, options));
	}

	@Test
	@DisplayName("A waiter gets the lock soon after it is released elsewhere")
	void wakesWaiters() {
		OtherHolder other = this.locks.heldElsewhere("orders:1");
		CompletableFuture<Optional<Lease>> waiter = this.locks.tryAcquireAsync("orders:1", LONG).toCompletableFuture();
		await().until(() -> this.locks.waiters("orders:1") == 1);
		assertThat(waiter).isNotDone();
		long released = System.nanoTime();
		other.close();
		assertThat(waiter).succeedsWithin(LONG).matches(Optional::isPresent);
		// Earlier than the end of the holder's ttl.
		assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - released)).isLessThan(9);
	}

	@Test
	@DisplayName("A lock can be held elsewhere for a limited time")
	void heldElsewhereForATime() {
		this.locks.heldElsewhere("orders:1", Duration.ofMillis(200));
		assertThat(this.locks.tryAcquire("orders:1", Duration.ZERO)).isEmpty();
		assertThat(this.locks.tryAcquire("orders:1", LONG)).isPresent();
	}

	@Test
	@DisplayName("A holder elsewhere that is closed late, or twice, does not affect a later holder")
	void closedLate() {
		OtherHolder other = this.locks.heldElsewhere("orders:1");
		other.close();
		Lease lease = this.locks.acquire("orders:1");
		other.close();
		assertThat(lease.isHeld()).isTrue();
		assertThat(this.locks.isHeld("orders:1")).isTrue();
	}

	@Test
	@DisplayName("A lock that is already held cannot be held elsewhere, and the message names the holder")
	void heldAlready() {
		Lease lease = this.locks.acquire("orders:1");
		assertThatIllegalStateException().isThrownBy(() -> this.locks.heldElsewhere("orders:1"))
			.withMessage(
					"Lock orders:1 cannot be held elsewhere: it is held by the code under test, with fencing token "
							+ lease.fencingToken());
		this.locks.heldElsewhere("report");
		assertThatIllegalStateException().isThrownBy(() -> this.locks.heldElsewhere("report"))
			.withMessage("Lock report cannot be held elsewhere: it is held, but not by the code under test");
	}

	@Test
	@DisplayName("After a loss the lease is not held, its holder is notified, and the lock is free")
	void lose() {
		Lease lease = this.locks.acquire("orders:1");
		CompletableFuture<Void> lost = new CompletableFuture<>();
		lease.onLost(() -> lost.complete(null));
		this.locks.lose("orders:1");
		assertThat(lease.isHeld()).isFalse();
		assertThat(lost).succeedsWithin(LONG);
		assertThat(this.locks.isHeld("orders:1")).isFalse();
	}

	@Test
	@DisplayName("A lease that this instance does not hold cannot be lost, and the message lists the held locks")
	void notHeld() {
		this.locks.heldElsewhere("orders:1");
		assertThatIllegalStateException().isThrownBy(() -> this.locks.lose("orders:1"))
			.withMessage(
					"Lock orders:1 cannot be lost: it is held, but not by the code under test. The code under test holds no lock");
		this.locks.acquire("orders:2");
		this.locks.acquire("report");
		assertThatIllegalStateException().isThrownBy(() -> this.locks.lose("order:2"))
			.withMessage("Lock order:2 cannot be lost: it is free. The code under test holds orders:2, report");
	}

	@Test
	@DisplayName("A failing store answers no call until it is restored")
	void failStore() {
		Lease lease = this.locks.acquire("orders:1");
		this.locks.failStore();
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.locks.acquire("orders:2"))
			.havingCause()
			.withMessageContaining("the test lets the store fail");
		lease.close();
		assertThat(this.locks.isHeld("orders:1")).as("could not be released").isTrue();
		this.locks.restoreStore();
		assertThat(this.locks.tryAcquire("orders:2", Duration.ZERO)).isPresent();
	}

	@Test
	@DisplayName("While the store fails for this instance, another instance can release its lock")
	void releaseElsewhereWhileTheStoreFails() {
		OtherHolder other = this.locks.heldElsewhere("orders:1");
		this.locks.failStore();
		other.close();
		this.locks.restoreStore();
		assertThat(this.locks.tryAcquire("orders:1", Duration.ZERO)).isPresent();
	}

	@Test
	@DisplayName("A lease that cannot be renewed because the store fails is lost at its deadline")
	void lostBecauseTheStoreFails() {
		Lease lease = this.locks.acquire(LockKey.of("orders:1"), LockOptions.of(Duration.ofMillis(300)));
		CompletableFuture<Void> lost = new CompletableFuture<>();
		lease.onLost(() -> lost.complete(null));
		this.locks.failStore();
		assertThat(lost).succeedsWithin(LONG);
		assertThat(lease.isHeld()).isFalse();
	}

	@Test
	@DisplayName("A reset releases all locks, answers the waiters, restores the store, and keeps fencing tokens growing")
	void reset() {
		Lease lease = this.locks.acquire("orders:1");
		OtherHolder other = this.locks.heldElsewhere("orders:2");
		CompletableFuture<Optional<Lease>> waiter = this.locks.tryAcquireAsync("orders:2", LONG).toCompletableFuture();
		this.locks.failStore();
		this.locks.reset();
		assertThat(lease.isHeld()).isFalse();
		assertThat(waiter).failsWithin(LONG).withThrowableThat().withCauseInstanceOf(LockStoreException.class);
		assertThat(this.locks.acquire("orders:1").fencingToken()).isGreaterThan(lease.fencingToken());
		Lease next = this.locks.acquire("orders:2");
		other.close();
		assertThat(next.isHeld()).isTrue();
		assertThat(this.locks.isHeld("orders:2")).isTrue();
	}

	@Test
	@DisplayName("A lock that could not be released is free after a reset")
	void resetOfOrphan() {
		Lease lease = this.locks.acquire("orders:1");
		this.locks.failStore();
		lease.close();
		this.locks.reset();
		assertThat(this.locks.isHeld("orders:1")).isFalse();
	}

	@Test
	@DisplayName("A closed registry is not reset")
	void closed() {
		this.locks.close();
		assertThatIllegalStateException().isThrownBy(this.locks::reset);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", ":1" })
	@DisplayName("A blank lock name is rejected by every method")
	void blank(String lock) {
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.heldElsewhere(lock))
			.withMessage("The name of a lock must not be blank");
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.lose(lock))
			.withMessage("The name of a lock must not be blank");
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.isHeld(lock))
			.withMessage("The name of a lock must not be blank");
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.waiters(lock))
			.withMessage("The name of a lock must not be blank");
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT0S", "-PT1S", "P366D" })
	@DisplayName("A lock can be held elsewhere for 1 ms to 365 days")
	void timeOutOfRange(Duration time) {
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.heldElsewhere("orders:1", time));
		assertThat(this.locks.isHeld("orders:1")).isFalse();
	}

}
