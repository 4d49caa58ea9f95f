package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.store.memory.MemoryLockStore;

import static org.assertj.core.api.Assertions.assertThat;

class HoldAtLeastTests {

	private static final LockKey KEY = new LockKey("job", "");

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(10))
		.withHoldAtLeast(Duration.ofMillis(900));

	private static final LockOptions WAITING = OPTIONS.withWaitTime(Duration.ofSeconds(20));

	private final VirtualRuntime runtime = new VirtualRuntime();

	private final MemoryLockStore store = new MemoryLockStore(this.runtime::nanoTime);

	private final DefaultLockRegistry locks = this.runtime.registry(this.store);

	private final DefaultLockRegistry others = this.runtime.registry(this.store);

	@Test
	@DisplayName("A lock that is released before hold-at-least is over is granted to no instance until then")
	void keepsLock() {
		Lease lease = this.locks.acquire(KEY, OPTIONS);
		this.runtime.pass(Duration.ofMillis(100));
		lease.close();
		assertThat(lease.isHeld()).isFalse();
		this.runtime.pass(Duration.ofMillis(790));
		assertThat(this.locks.tryAcquire(KEY, OPTIONS)).isEmpty();
		assertThat(this.others.tryAcquire(KEY, OPTIONS)).isEmpty();
		this.runtime.pass(Duration.ofMillis(12));
		assertThat(this.others.tryAcquire(KEY, OPTIONS)).isPresent();
	}

	@Test
	@DisplayName("A lock that is held for longer than hold-at-least is free when released")
	void releasesAfterLongerWork() {
		Lease lease = this.locks.acquire(KEY, OPTIONS);
		this.runtime.pass(Duration.ofSeconds(60));
		assertThat(lease.isHeld()).as("renewed").isTrue();
		lease.close();
		assertThat(this.others.tryAcquire(KEY, OPTIONS)).isPresent();
	}

	@Test
	@DisplayName("A waiter of the same instance gets the lock when hold-at-least is over, and not before")
	void waiterWaits() {
		Lease lease = this.locks.acquire(KEY, OPTIONS);
		CompletableFuture<Optional<Lease>> waiter = this.locks.tryAcquireAsync(KEY, WAITING).toCompletableFuture();
		lease.releaseAsync();
		this.runtime.pass(Duration.ofMillis(895));
		assertThat(waiter).isNotDone();
		this.runtime.pass(Duration.ofMillis(500));
		assertThat(this.runtime.join(waiter)).isPresent();
	}

	@Test
	@DisplayName("The shutdown of the instance does not free the lock before hold-at-least is over")
	void outlivesInstance() {
		this.locks.acquire(KEY, OPTIONS).close();
		this.locks.release();
		assertThat(this.others.tryAcquire(KEY, OPTIONS)).isEmpty();
		this.runtime.pass(Duration.ofMillis(902));
		assertThat(this.others.tryAcquire(KEY, OPTIONS)).isPresent();
	}

	@Test
	@DisplayName("After a lost lease, hold-at-least does not apply")
	void lostLease() {
		Lease lease = this.locks.acquire(KEY, OPTIONS.withoutRenewal().withHoldAtLeast(OPTIONS.ttl()));
		this.runtime.pass(OPTIONS.ttl().plusMillis(1));
		lease.close();
		assertThat(this.others.tryAcquire(KEY, OPTIONS)).isPresent();
	}

	@Test
	@DisplayName("A lock that is released because its caller did not get another one is free at once")
	void rejectedGroup() {
		LockKey second = new LockKey("second job", "");
		this.others.acquire(second, OPTIONS);
		LockOptions brief = OPTIONS.withWaitTime(Duration.ofMillis(100));
		CompletableFuture<List<Lease>> both = this.locks.acquireAllAsync(List.of(KEY, second), brief, Runnable::run)
			.toCompletableFuture();
		this.runtime.pass(Duration.ofMillis(50));
		assertThat(this.others.tryAcquire(KEY, OPTIONS)).as("held during the wait").isEmpty();
		this.runtime.pass(Duration.ofMillis(100));
		assertThat(both).isCompletedExceptionally();
		assertThat(this.others.tryAcquire(KEY, OPTIONS)).isPresent();
	}

	@Test
	@DisplayName("A lock that is granted to a caller that has given up is free at once")
	void abandonedGrant() {
		List<Runnable> answers = new ArrayList<>();
		CompletableFuture<Lease> result = this.locks.acquireAsync(KEY, OPTIONS, answers::add).toCompletableFuture();
		assertThat(answers).as("granted, and not delivered").hasSize(1);
		result.cancel(false);
		assertThat(this.others.tryAcquire(KEY, OPTIONS)).isPresent();
	}

	@RepeatedTest(20)
	@DisplayName("A job that three instances attempt once a second runs once a second, whatever their clocks")
	void onceASecond(RepetitionInfo repetition) {
		Random random = new Random(repetition.getCurrentRepetition());
		List<DefaultLockRegistry> instances = IntStream.range(0, 3)
			.mapToObj((i) -> this.runtime.registry(this.store))
			.toList();
		// Clocks differ by up to five seconds, and work takes up to a third of the
		// interval.
		List<Long> offsets = instances.stream().map((each) -> random.nextLong(5_000_000_000L)).toList();
		Duration interval = Duration.ofSeconds(1);
		List<Long> runs = new ArrayList<>();
		for (int i = 0; i < instances.size(); i++) {
			attempt(instances.get(i), offsets.get(i) % interval.toNanos(), interval, random, runs);
		}
		this.runtime.pass(Duration.ofMinutes(1));
		assertThat(runs.size()).isBetween(59, 61);
		for (int i = 1; i < runs.size(); i++) {
			assertThat(runs.get(i) - runs.get(i - 1)).isGreaterThanOrEqualTo(OPTIONS.holdAtLeast().toNanos());
		}
	}

	private void attempt(DefaultLockRegistry instance, long delay, Duration interval, Random random, List<Long> runs) {
		this.runtime.schedule(() -> {
			this.runtime.schedule(() -> attempt(instance, interval.toNanos(), interval, random, runs), 0);
			instance.tryAcquireAsync(KEY, OPTIONS).thenAccept((granted) -> granted.ifPresent((lease) -> {
				runs.add(this.runtime.nanoTime());
				this.runtime.schedule(lease::releaseAsync, random.nextLong(interval.toNanos() / 3));
			}));
		}, delay);
	}

}
