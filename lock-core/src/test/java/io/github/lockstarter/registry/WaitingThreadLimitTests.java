package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockConflictException.ConflictReason;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.count.LockEventCounter;
import io.github.lockstarter.store.memory.MemoryLockStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A pool of threads of which one may wait for a lock.
 */
class WaitingThreadLimitTests {

	private static final LockKey KEY = new LockKey("order", "1");

	private static final LockKey OTHER = new LockKey("order", "2");

	private static final LockOptions WAITING = LockOptions.of(Duration.ofMinutes(1))
		.withWaitTime(Duration.ofMinutes(1));

	private final ThreadGroup group = new ThreadGroup("pool");

	private final ExecutorService pool = Executors.newCachedThreadPool((task) -> new Thread(this.group, task));

	private final LockEventCounter counts = new LockEventCounter();

	private final AtomicInteger reached = new AtomicInteger();

	private final MemoryLockStore store = new MemoryLockStore();

	/** Another instance with the same locks. */
	private final DefaultLockRegistry elsewhere = registry(new LockEventCounter());

	private final DefaultLockRegistry locks = registry(this.counts);

	private DefaultLockRegistry registry(LockEventCounter counts) {
		return new DefaultLockRegistry(this.store, RegistrySettings.of(WAITING).withCounts(counts));
	}

	@BeforeEach
	void limit() {
		this.locks.limit(new WaitingThreadLimit(() -> Thread.currentThread().getThreadGroup() == this.group, () -> 1,
				this.reached::addAndGet));
	}

	@AfterEach
	void close() {
		this.pool.shutdownNow();
		this.locks.close();
		this.elsewhere.close();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	@DisplayName("One thread waits, and the next one is rejected with the rest of the lease as soon as it finds the lock held, here or elsewhere")
	void rejected(boolean here) throws Exception {
		Lease held = (here ? this.locks : this.elsewhere).acquire(KEY, WAITING);
		Future<Lease> waiting = waiting();
		assertThatExceptionOfType(LockConflictException.class)
			.isThrownBy(() -> inPool(() -> this.locks.acquire(KEY, WAITING)))
			.satisfies((ex) -> assertThat(ex.getConflictReason()).isEqualTo(ConflictReason.QUEUE_FULL))
			.satisfies((ex) -> assertThat(ex.getRetryAfter()).isPositive().isLessThanOrEqualTo(WAITING.ttl()));
		assertThat(inPool(() -> this.locks.tryAcquire(KEY, WAITING))).isEmpty();
		assertThatExceptionOfType(LockConflictException.class)
			.isThrownBy(() -> inPool(() -> this.locks.acquireAll(List.of(KEY, OTHER), WAITING)));
		assertThat(this.counts.get(KEY.name(), Event.QUEUE_FULL)).isEqualTo(3);
		assertThat(this.reached).as("is told once").hasValue(1);
		held.close();
		waiting.get().close();
		inPool(() -> this.locks.acquire(OTHER, WAITING)).close();
	}

	@Test
	@DisplayName("Free locks are granted while as many threads wait as may wait")
	void free() throws Exception {
		Lease held = this.elsewhere.acquire(KEY, WAITING);
		Future<Lease> waiting = waiting();
		List<Future<Lease>> others = Stream.of("3", "4", "5")
			.map((key) -> this.pool.submit(() -> this.locks.acquire(new LockKey("order", key), WAITING)))
			.toList();
		for (Future<Lease> other : others) {
			other.get().close();
		}
		held.close();
		waiting.get().close();
	}

	@Test
	@DisplayName("Other threads, and callers without a thread, wait in any number")
	void unlimited() throws Exception {
		Lease held = this.elsewhere.acquire(KEY, WAITING);
		Future<Lease> waiting = waiting();
		Future<Lease> inPool = this.pool.submit(() -> this.locks.acquireAsync(KEY, WAITING).toCompletableFuture())
			.get();
		FutureTask<Lease> outside = new FutureTask<>(() -> this.locks.acquire(KEY, WAITING));
		new Thread(outside).start();
		Awaitility.await().until(() -> new LockInspector(this.locks).waiters(KEY.name()) == 3);
		held.close();
		waiting.get().close();
		inPool.get().close();
		outside.get().close();
	}

	@Test
	@DisplayName("A wait that times out, or is interrupted, lets another thread wait")
	void ends() throws Exception {
		Lease held = this.elsewhere.acquire(KEY, WAITING);
		LockOptions briefly = WAITING.withWaitTime(Duration.ofMillis(10));
		assertThatExceptionOfType(LockConflictException.class)
			.isThrownBy(() -> inPool(() -> this.locks.acquire(KEY, briefly)))
			.satisfies((ex) -> assertThat(ex.getConflictReason()).isEqualTo(ConflictReason.WAIT_TIMEOUT));
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> inPool(() -> {
			Thread.currentThread().interrupt();
			return this.locks.acquire(KEY, WAITING);
		}));
		Future<Lease> waiting = waiting();
		held.close();
		waiting.get().close();
		assertThat(this.reached).hasValue(0);
	}

	/** Returns the lease of a thread of the pool, which waits for the lock. */
	private Future<Lease> waiting() {
		Future<Lease> waiting = this.pool.submit(() -> this.locks.acquire(KEY, WAITING));
		Awaitility.await().until(() -> new LockInspector(this.locks).waiters(KEY.name()) == 1);
		return waiting;
	}

	private <T> T inPool(Callable<T> call) throws Exception {
		try {
			return this.pool.submit(call).get();
		}
		catch (ExecutionException ex) {
			throw (Exception) ex.getCause();
		}
	}

}
