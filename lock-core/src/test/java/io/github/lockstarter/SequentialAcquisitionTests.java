package io.github.lockstarter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.registry.DefaultLockRegistry;
import io.github.lockstarter.registry.RegistrySettings;
import io.github.lockstarter.store.memory.MemoryLockStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The acquisition of several locks by a registry that supports only one at a time.
 */
class SequentialAcquisitionTests {

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));

	private static final LockOptions WAITING = OPTIONS.withWaitTime(Duration.ofSeconds(20));

	private final DefaultLockRegistry engine = new DefaultLockRegistry(new MemoryLockStore(),
			RegistrySettings.of(OPTIONS));

	private final OneByOne locks = new OneByOne(this.engine);

	@AfterEach
	void close() {
		this.engine.close();
	}

	@Test
	@DisplayName("Locks are acquired in key order, and duplicates once")
	void inOrder() {
		List<LockKey> wanted = new ArrayList<>(keys(5));
		Collections.reverse(wanted);
		wanted.add(key(3));
		List<Lease> leases = this.locks.acquireAll(wanted, OPTIONS);
		assertThat(this.locks.asked).containsExactlyElementsOf(keys(5));
		assertThat(leases).extracting(Lease::key).containsExactlyElementsOf(keys(5));
		leases.forEach(Lease::close);
		List<Lease> again = this.locks.acquireAllAsync(wanted, OPTIONS, Runnable::run).toCompletableFuture().join();
		assertThat(again).extracting(Lease::key).containsExactlyElementsOf(keys(5));
		again.forEach(Lease::close);
		assertThat(this.locks.acquireAll(List.of(), OPTIONS)).isEmpty();
		assertThat(this.locks.acquireAllAsync(List.of(), OPTIONS, Runnable::run)).isCompletedWithValue(List.of());
	}

	@Test
	@DisplayName("When one lock is held, the others are released")
	void releasesOthers() {
		Lease held = this.engine.acquire(key(3), OPTIONS);
		assertThatExceptionOfType(LockConflictException.class)
			.isThrownBy(() -> this.locks.acquireAll(keys(5), OPTIONS));
		assertFree(0, 1, 2, 4);
		assertThat(this.locks.acquireAllAsync(keys(5), OPTIONS, Runnable::run)).failsWithin(Duration.ofSeconds(20))
			.withThrowableThat()
			.withCauseInstanceOf(LockConflictException.class);
		assertFree(0, 1, 2, 4);
		held.close();
	}

	@Test
	@DisplayName("The wait time applies to all locks together: the second lock gets what remains after the first")
	void oneWait() {
		Lease held = this.engine.acquire(key(0), OPTIONS);
		CompletableFuture<List<Lease>> waiting = this.locks.acquireAllAsync(keys(2), WAITING, Runnable::run)
			.toCompletableFuture();
		held.close();
		assertThat(waiting).succeedsWithin(Duration.ofSeconds(20));
		assertThat(this.locks.waits.get(0)).isEqualTo(WAITING.waitTime());
		assertThat(this.locks.waits.get(1)).isLessThan(WAITING.waitTime());
		waiting.join().forEach(Lease::close);
	}

	@Test
	@DisplayName("A caller that cancels while waiting holds no lock")
	void cancels() {
		Lease held = this.engine.acquire(key(3), OPTIONS);
		CompletableFuture<List<Lease>> waiting = this.locks.acquireAllAsync(keys(5), WAITING, Runnable::run)
			.toCompletableFuture();
		Awaitility.await().until(() -> this.locks.asked.size() == 4);
		waiting.cancel(true);
		assertFree(0, 1, 2, 4);
		held.close();
		assertFree(3);
	}

	@Test
	@DisplayName("Ten thousand locks that are granted immediately are acquired without a stack overflow")
	void many() {
		this.locks.atOnce = true;
		List<Lease> leases = this.locks.acquireAllAsync(keys(10_000), OPTIONS, Runnable::run)
			.toCompletableFuture()
			.join();
		assertThat(leases).hasSize(10_000);
		leases.forEach(Lease::close);
	}

	private void assertFree(int... places) {
		for (int place : places) {
			this.engine.acquire(key(place), WAITING).close();
		}
	}

	private static List<LockKey> keys(int count) {
		return IntStream.range(0, count).mapToObj(SequentialAcquisitionTests::key).toList();
	}

	private static LockKey key(int place) {
		return new LockKey("several", "%05d".formatted(place));
	}

	/** A registry that implements the required methods only. */
	private static final class OneByOne implements LockRegistry {

		private final LockRegistry registry;

		private final List<LockKey> asked = Collections.synchronizedList(new ArrayList<>());

		private final List<Duration> waits = Collections.synchronizedList(new ArrayList<>());

		/** Whether the answer is complete when the method returns. */
		private boolean atOnce;

		OneByOne(LockRegistry registry) {
			this.registry = registry;
		}

		@Override
		public Optional<Lease> tryAcquire(LockKey key, LockOptions options) {
			return this.registry.tryAcquire(key, options);
		}

		@Override
		public Lease acquire(LockKey key, LockOptions options) {
			this.asked.add(key);
			this.waits.add(options.waitTime());
			return this.registry.acquire(key, options);
		}

		@Override
		public CompletionStage<Optional<Lease>> tryAcquireAsync(LockKey key, LockOptions options) {
			return this.registry.tryAcquireAsync(key, options);
		}

		@Override
		public CompletionStage<Lease> acquireAsync(LockKey key, LockOptions options) {
			return this.registry.acquireAsync(key, options);
		}

		@Override
		public CompletionStage<Lease> acquireAsync(LockKey key, LockOptions options, Executor executor) {
			this.asked.add(key);
			this.waits.add(options.waitTime());
			return this.atOnce ? CompletableFuture.completedFuture(this.registry.acquire(key, options))
					: this.registry.acquireAsync(key, options);
		}

		@Override
		public LockOptions options(String lockName) {
			return this.registry.options(lockName);
		}

	}

}
