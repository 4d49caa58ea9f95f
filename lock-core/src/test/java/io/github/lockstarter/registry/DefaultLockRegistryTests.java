package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.http.HttpStatus;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.TokenLocks;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.StoredResult;
import io.github.lockstarter.store.memory.MemoryLockStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

@ExtendWith(OutputCaptureExtension.class)
class DefaultLockRegistryTests {

	private static final LockKey KEY = new LockKey("registration", "taro");

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));

	private static final LockOptions WAITING = OPTIONS.withWaitTime(Duration.ofSeconds(20));

	private static final LockOptions BRIEF = LockOptions.of(Duration.ofMillis(150)).withoutRenewal();

	private static final Duration SOON = Duration.ofSeconds(20);

	private final VirtualRuntime runtime = new VirtualRuntime();

	private final DefaultLockRegistry locks = this.runtime.registry(new MemoryLockStore(this.runtime::nanoTime));

	@Test
	@DisplayName("An Error thrown while a conflict is created reaches the asynchronous caller")
	void failingConflict() {
		NoClassDefFoundError failure = new NoClassDefFoundError("a class that is missing");
		DefaultLockRegistry locks = withConflictFactory((key, reason, retryAfter) -> {
			throw failure;
		});
		Lease lease = locks.acquire(KEY, OPTIONS);
		TokenLocks tokens = new DefaultTokenLocks(locks);
		List<CompletableFuture<?>> rejected = Stream
			.of(locks.acquireAsync(KEY, OPTIONS), tokens.acquireAsync(KEY, OPTIONS),
					tokens.acquireAsync(KEY, OPTIONS, "a-token-of-my-own"))
			.<CompletableFuture<?>>map(CompletionStage::toCompletableFuture)
			.toList();
		this.runtime.settle();
		assertThat(rejected).allSatisfy(
				(answer) -> assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> answer.getNow(null))
					.withCause(failure));
		lease.close();
	}

	private DefaultLockRegistry withConflictFactory(ConflictFactory conflicts) {
		return new DefaultLockRegistry(new MemoryLockStore(this.runtime::nanoTime),
				RegistrySettings.of(OPTIONS).withConflictFactory(conflicts).withRuntime(this.runtime));
	}

	@Test
	@DisplayName("A conflict is as the settings create it, by default without a status of its own")
	void configuredStatus() {
		DefaultLockRegistry configured = withConflictFactory(
				(key, reason, retryAfter) -> new LockConflictException(key, reason, retryAfter, HttpStatus.LOCKED));
		assertThat(List.of(configured, this.locks)).allSatisfy((locks) -> locks.acquire(KEY, OPTIONS));
		assertThatExceptionOfType(LockConflictException.class).isThrownBy(() -> configured.acquire(KEY, OPTIONS))
			.satisfies((ex) -> assertThat(ex.getStatusCode()).isEqualTo(HttpStatus.LOCKED));
		assertThatExceptionOfType(LockConflictException.class).isThrownBy(() -> this.locks.acquire(KEY, OPTIONS))
			.satisfies((ex) -> assertThat(ex.hasOwnStatusCode()).isFalse());
	}

	@Test
	@DisplayName("A lock is held until its lease is closed")
	void holdsUntilClosed() {
		try (Lease lease = this.locks.acquire(KEY, OPTIONS)) {
			assertThat(lease.isHeld()).isTrue();
			assertThat(lease.remaining()).isEqualTo(OPTIONS.ttl());
			assertThat(this.locks.tryAcquire(KEY, OPTIONS)).isEmpty();
			lease.close();
			assertThat(lease.isHeld()).isFalse();
			assertThat(lease.remaining()).isZero();
		}
		assertThat(this.locks.tryAcquire(KEY, OPTIONS)).isPresent();
	}

	@Test
	@DisplayName("A store may block the thread of a caller that waits for its answer, and no other thread")
	void blocksCallersOnly() {
		ObservedStore store = new ObservedStore(this.runtime::nanoTime);
		DefaultLockRegistry locks = this.runtime.registry(store);
		locks.acquire(KEY, OPTIONS).close();
		assertThat(store.blocking).hasValue(2);
		CompletionStage<Void> released = locks.acquireAsync(KEY, OPTIONS, Runnable::run)
			.thenCompose(Lease::releaseAsync);
		assertThat(released).isCompleted();
		assertThat(store.acquires).hasValue(2);
		assertThat(store.releases).hasValue(2);
		assertThat(store.blocking).hasValue(2);
	}

	@Test
	@DisplayName("A conflict contains the remaining time of the holder's lease, and names the lock but not the key")
	void conflict() {
		this.locks.acquire(KEY, OPTIONS);
		assertThatExceptionOfType(LockConflictException.class).isThrownBy(() -> this.locks.acquire(KEY, OPTIONS))
			.satisfies((ex) -> {
				assertThat(ex.getStatusCode()).isEqualTo(HttpStatus.CONFLICT);
				assertThat(ex.getRetryAfter()).isEqualTo(OPTIONS.ttl());
				assertThat(ex.getHeaders().getFirst("Retry-After")).isEqualTo("30");
				assertThat(ex.getBody().getType())
					.hasToString("https://lockstarter.github.io/problems/request-in-progress");
			})
			.withMessageContaining("registration")
			.withMessageNotContaining("taro");
	}

	@Test
	@DisplayName("A caller that passes an executor continues on it, both with the lease and after the release")
	void continuesOnExecutor() {
		Queue<Runnable> tasks = new ArrayDeque<>();
		CompletableFuture<Lease> acquired = this.locks.acquireAsync(KEY, OPTIONS, tasks::add).toCompletableFuture();
		assertThat(acquired).isNotDone();
		tasks.remove().run();
		assertThat(acquired).isCompleted();
		CompletableFuture<Void> released = acquired.join().releaseAsync().toCompletableFuture();
		assertThat(released).isNotDone();
		tasks.remove().run();
		assertThat(released).isCompleted();
		assertThat(tasks).isEmpty();
	}

	@Test
	@DisplayName("An asynchronous caller that is rejected at once gets its answer before the method returns, without its executor")
	void rejectedAtOnce() {
		List<Thread> threads = new ArrayList<>();
		DefaultLockRegistry locks = withConflictFactory((key, reason, retryAfter) -> {
			threads.add(Thread.currentThread());
			return new LockConflictException(key, reason, retryAfter, null);
		});
		Queue<Runnable> tasks = new ArrayDeque<>();
		try (Lease lease = locks.acquire(KEY, OPTIONS)) {
			assertThat(lease.isHeld()).isTrue();
			assertThat(locks.acquireAsync(KEY, OPTIONS, tasks::add)).failsWithin(Duration.ZERO)
				.withThrowableThat()
				.withCauseInstanceOf(LockConflictException.class);
			assertThat(locks.tryAcquireAsync(KEY, OPTIONS)).isCompletedWithValue(Optional.empty());
		}
		assertThat(threads).containsExactly(Thread.currentThread());
		assertThat(tasks).isEmpty();
	}

	@Test
	@DisplayName("An asynchronous caller that is rejected after a wait gets its answer on its executor")
	void rejectedOnExecutor() {
		this.locks.acquire(KEY, OPTIONS);
		Queue<Runnable> tasks = new ArrayDeque<>();
		CompletableFuture<Lease> waiting = this.locks.acquireAsync(KEY, WAITING, tasks::add).toCompletableFuture();
		this.runtime.pass(WAITING.waitTime());
		assertThat(waiting).isNotDone();
		assertThat(tasks).hasSize(1);
		tasks.remove().run();
		assertThat(waiting).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.withCauseInstanceOf(LockConflictException.class);
	}

	@Test
	@DisplayName("An executor that fails loses no answer, and affects no other caller")
	void failingExecutor() {
		Executor failing = (task) -> {
			throw new IllegalStateException();
		};
		LockRegistry locks = new DefaultLockRegistry(new MemoryLockStore(), LockOptions.of(Duration.ofSeconds(10)));
		Lease first = locks.acquire(KEY, OPTIONS);
		assertThat(locks.acquireAsync(KEY, OPTIONS, failing)).failsWithin(SOON)
			.withThrowableThat()
			.withCauseInstanceOf(LockConflictException.class);
		CompletableFuture<Lease> second = locks.acquireAsync(KEY, WAITING, failing).thenApply((lease) -> {
			assertThat(Thread.currentThread().getName()).startsWith("lock-answers-");
			return lease;
		}).toCompletableFuture();
		CompletableFuture<Lease> third = locks.acquireAsync(KEY, WAITING).toCompletableFuture();
		first.close();
		assertThat(second).succeedsWithin(SOON);
		assertThat(second.join().releaseAsync()).succeedsWithin(SOON);
		assertThat(third).succeedsWithin(SOON);
	}

	@Test
	@DisplayName("An executor that runs its task twice does not end the lease")
	void executorThatRunsTwice() {
		Lease lease = this.locks.acquireAsync(KEY, OPTIONS, (task) -> {
			task.run();
			task.run();
		}).toCompletableFuture().join();
		assertThat(lease.isHeld()).isTrue();
		assertThat(this.locks.tryAcquire(KEY, OPTIONS)).isEmpty();
		assertThat(lease.releaseAsync()).succeedsWithin(SOON);
	}

	@Test
	@DisplayName("A caller that cancels or completes the answer before the executor has delivered the grant gives the lock back at once")
	void leavesBeforeExecutor() {
		List<Consumer<CompletableFuture<Lease>>> ways = List.of((future) -> future.cancel(false),
				(future) -> future.complete(null), (future) -> future.completeExceptionally(new TimeoutException()));
		for (Consumer<CompletableFuture<Lease>> way : ways) {
			Queue<Runnable> tasks = new ArrayDeque<>();
			CompletableFuture<Lease> acquired = this.locks.acquireAsync(KEY, OPTIONS, tasks::add).toCompletableFuture();
			way.accept(acquired);
			Lease next = this.locks.acquire(KEY, OPTIONS);
			tasks.forEach(Runnable::run);
			assertThat(next.isHeld()).isTrue();
			next.close();
		}
	}

	@Test
	@DisplayName("A waiter that completes its own answer makes room in the queue, and gets no lock")
	void answersItself() {
		MemoryLockStore store = new MemoryLockStore(this.runtime::nanoTime);
		try (DefaultLockRegistry locks = new DefaultLockRegistry(store,
				RegistrySettings.of(OPTIONS).withMaxWaiters(1).withRuntime(this.runtime))) {
			Lease first = locks.acquire(KEY, OPTIONS);
			CompletableFuture<Optional<Lease>> second = locks.tryAcquireAsync(KEY, WAITING).toCompletableFuture();
			second.complete(null);
			CompletableFuture<Optional<Lease>> third = locks.tryAcquireAsync(KEY, WAITING).toCompletableFuture();
			assertThat(third).isNotDone();
			first.close();
			assertThat(this.runtime.join(third)).isPresent();
		}
	}

	@Test
	@DisplayName("The executor must not be null")
	void noExecutor() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.acquireAsync(KEY, OPTIONS, null));
		assertThat(this.locks.tryAcquire(KEY, OPTIONS)).isPresent();
	}

	@Test
	@DisplayName("A waiter gets the lock when it is released")
	void waitsForRelease() {
		Lease first = this.locks.acquire(KEY, OPTIONS);
		CompletableFuture<Optional<Lease>> second = this.locks
			.tryAcquireAsync(KEY, OPTIONS.withWaitTime(Duration.ofSeconds(20)))
			.toCompletableFuture();
		assertThat(second).isNotDone();
		first.close();
		assertThat(this.runtime.join(second).orElseThrow().fencingToken()).isGreaterThan(first.fencingToken());
	}

	@Test
	@DisplayName("A waiter gets the lock when the holder's lease expires")
	void waitsForExpiry() {
		this.locks.acquire(KEY, BRIEF);
		CompletableFuture<Optional<Lease>> waiting = this.locks.tryAcquireAsync(KEY, WAITING).toCompletableFuture();
		this.runtime.pass(BRIEF.ttl().minusNanos(1));
		assertThat(waiting).isNotDone();
		this.runtime.pass(Duration.ofMillis(100));
		assertThat(waiting).isCompletedWithValueMatching(Optional::isPresent);
	}

	@Test
	@DisplayName("A wait times out on time, with its own problem type")
	void waitEnds() {
		this.locks.acquire(KEY, OPTIONS);
		CompletableFuture<Lease> waiting = this.locks.acquireAsync(KEY, WAITING).toCompletableFuture();
		this.runtime.pass(WAITING.waitTime().minusNanos(1));
		assertThat(waiting).isNotDone();
		this.runtime.pass(Duration.ofNanos(1));
		assertThat(waiting).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.havingCause()
			.isInstanceOfSatisfying(LockConflictException.class, (ex) -> assertThat(ex.getBody().getType())
				.hasToString("https://lockstarter.github.io/problems/wait-timeout"));
	}

	@Test
	@DisplayName("A lease that is not renewed ends at its own deadline, whatever the store does")
	void deadline() {
		Lease lease = this.locks.acquire(KEY, BRIEF);
		this.runtime.pass(BRIEF.ttl().minusNanos(1));
		assertThat(lease.isHeld()).isTrue();
		this.runtime.pass(Duration.ofNanos(1));
		assertThat(lease.isHeld()).isFalse();
		assertThat(lease.remaining()).isZero();
	}

	@Test
	@DisplayName("Closing a lease twice releases the lock once, and never the next holder's lock")
	void closeTwice() {
		Lease first = this.locks.acquire(KEY, OPTIONS);
		first.close();
		Lease second = this.locks.acquire(KEY, OPTIONS);
		first.close();
		assertThat(this.locks.tryAcquire(KEY, OPTIONS)).isEmpty();
		second.close();
	}

	@Test
	@DisplayName("A lease may be closed by a thread other than the acquiring one")
	void closeOnOtherThread() {
		Lease lease = this.locks.acquire(KEY, OPTIONS);
		assertThat(CompletableFuture.runAsync(lease::close)).succeedsWithin(Duration.ofSeconds(15));
		assertThat(this.locks.tryAcquire(KEY, OPTIONS)).isPresent();
	}

	@Test
	@DisplayName("A release of a lost lease throws nothing and is logged once, without the key")
	void lostLease(CapturedOutput output) {
		Lease lost = this.locks.acquire(KEY, BRIEF);
		this.runtime.pass(BRIEF.ttl());
		lost.close();
		lost.close();
		this.runtime.settle();
		assertThat(output).containsOnlyOnce("was lost").doesNotContain("taro");
	}

	@Test
	@DisplayName("A failed release throws nothing and is logged")
	void failedRelease(CapturedOutput output) {
		ManualStore store = new ManualStore();
		CompletableFuture<Optional<Lease>> acquired = async(store);
		store.answer.complete(new Granted(1));
		store.released = CompletableFuture.failedFuture(new LockStoreException(KEY, "gone", null));
		this.runtime.join(acquired).orElseThrow().close();
		this.runtime.settle();
		assertThat(output).contains("may not have been released").contains("gone");
	}

	@Test
	@DisplayName("A lock that is granted after its caller has cancelled is released")
	void cancelled() {
		ManualStore store = new ManualStore();
		CompletableFuture<Optional<Lease>> acquired = async(store);
		acquired.cancel(true);
		assertThat(store.releases).isEmpty();
		store.answer.complete(new Granted(1));
		assertThat(store.releases).isEqualTo(store.acquires).hasSize(1);
		assertThat(acquired).isCancelled();
	}

	@Test
	@DisplayName("A cancelled caller sends no further commands to the store")
	void cancelledWait() {
		ManualStore store = new ManualStore();
		CompletableFuture<Optional<Lease>> acquired = this.runtime.registry(store)
			.tryAcquireAsync(KEY, OPTIONS.withWaitTime(Duration.ofMinutes(1)))
			.toCompletableFuture();
		store.answer.complete(new AcquireResult.Held(Duration.ofMinutes(1)));
		acquired.cancel(true);
		this.runtime.pass(Duration.ofMinutes(1));
		assertThat(store.acquires).hasSize(1);
		assertThat(acquired).failsWithin(Duration.ZERO).withThrowableThat().isInstanceOf(CancellationException.class);
	}

	@Test
	@DisplayName("An interrupted caller holds no lock, even if the grant arrives later")
	void interrupted() {
		ManualStore store = new ManualStore();
		AtomicReference<Throwable> thrown = new AtomicReference<>();
		Thread caller = new Thread(() -> {
			try {
				new DefaultLockRegistry(store, LockOptions.of(Duration.ofSeconds(10))).acquire(KEY, OPTIONS);
			}
			catch (LockStoreException ex) {
				thrown.set(Thread.currentThread().isInterrupted() ? ex : new AssertionError("flag lost"));
			}
		});
		caller.start();
		Awaitility.await().until(() -> store.acquires.size() == 1);
		caller.interrupt();
		Awaitility.await().until(() -> thrown.get() != null);
		store.answer.complete(new Granted(1));
		assertThat(thrown.get()).isInstanceOf(LockStoreException.class).hasMessageContaining("interrupted");
		assertThat(store.releases).isEqualTo(store.acquires).hasSize(1);
	}

	@Test
	@DisplayName("A grant that arrives after its own deadline is released, not returned")
	void lateGrant() {
		ManualStore store = new ManualStore();
		CompletableFuture<Optional<Lease>> acquired = async(store);
		this.runtime.pass(OPTIONS.ttl());
		store.answer.complete(new Granted(1));
		this.runtime.settle();
		assertThat(acquired).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.withCauseInstanceOf(LockStoreException.class);
		assertThat(store.releases).isEqualTo(store.acquires);
	}

	@Test
	@DisplayName("Any exception of a store is a store failure, never a conflict")
	void brokenStore() {
		ManualStore store = new ManualStore();
		store.answer.completeExceptionally(new IllegalStateException("boom"));
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.runtime.registry(store).tryAcquire(KEY, OPTIONS))
			.havingCause()
			.withMessage("boom");
	}

	@Test
	@DisplayName("While the end of the holder's lease is unknown, a waiter's polling is limited")
	void pollingIsLimited() {
		ManualStore store = new ManualStore();
		store.answer.complete(new AcquireResult.Held(Duration.ZERO));
		CompletableFuture<Optional<Lease>> waiting = this.runtime.registry(store)
			.tryAcquireAsync(KEY, OPTIONS.withWaitTime(Duration.ofMillis(300)))
			.toCompletableFuture();
		this.runtime.pass(Duration.ofMillis(300));
		assertThat(waiting).isCompletedWithValue(Optional.empty());
		assertThat(store.acquires).hasSizeBetween(2, 25);
	}

	@Test
	@DisplayName("A closed registry accepts no waiters")
	void closed() {
		this.locks.acquire(KEY, OPTIONS);
		this.locks.close();
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.locks.acquire(KEY, OPTIONS.withWaitTime(Duration.ofMinutes(1))))
			.withMessageContaining("closed");
	}

	@Test
	@DisplayName("A store outage is logged at its start and at its end, not for every acquisition")
	void outage(CapturedOutput output) {
		ManualStore store = new ManualStore();
		LockRegistry locks = this.runtime.registry(store);
		store.answer.completeExceptionally(new LockStoreException(KEY, "gone", null));
		for (int i = 0; i < 20; i++) {
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> locks.tryAcquire(KEY, OPTIONS));
		}
		this.runtime.settle();
		assertThat(output).containsOnlyOnce("The lock store fails").contains("gone").doesNotContain("taro");
		store.answer = CompletableFuture.completedFuture(new Granted(1));
		locks.tryAcquire(KEY, OPTIONS);
		locks.tryAcquire(KEY, OPTIONS);
		this.runtime.settle();
		assertThat(output).containsOnlyOnce("The lock store answers again; failures meanwhile: 20");
	}

	private CompletableFuture<Optional<Lease>> async(LockStore store) {
		return this.runtime.registry(store).tryAcquireAsync(KEY, OPTIONS).toCompletableFuture();
	}

	/** A store whose answers the test completes. */
	private static final class ManualStore implements LockStore {

		private CompletableFuture<AcquireResult> answer = new CompletableFuture<>();

		private final List<String> acquires = new ArrayList<>();

		private final List<String> releases = new ArrayList<>();

		private CompletableFuture<Boolean> released = CompletableFuture.completedFuture(true);

		@Override
		public StoredLock lock(LockKey key) {
			return new StoredLock() {

				@Override
				public CompletionStage<AcquireResult> acquire(AcquireCommand command) {
					ManualStore.this.acquires.add(command.owner());
					return ManualStore.this.answer;
				}

				@Override
				public CompletionStage<Boolean> renew(String owner, Duration ttl) {
					throw new UnsupportedOperationException();
				}

				@Override
				public CompletionStage<Boolean> release(String owner, StoredResult result) {
					ManualStore.this.releases.add(owner);
					return ManualStore.this.released;
				}

			};
		}

	}

}
