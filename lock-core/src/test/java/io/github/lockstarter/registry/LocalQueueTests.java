package io.github.lockstarter.registry;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.registry.runtime.EngineRuntime;
import io.github.lockstarter.registry.runtime.ThreadedRuntime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class LocalQueueTests {

	private static final Duration SOON = Duration.ofSeconds(20);

	private static final String PROBLEMS = "https://lockstarter.github.io/problems/";

	private static final LockKey KEY = new LockKey("queue", "taro");

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));

	private static final LockOptions WAITING = OPTIONS.withWaitTime(Duration.ofSeconds(20));

	/** The time in which waiters of other instances take precedence. */
	private static final Duration PAUSE = Duration.ofMillis(20);

	private final VirtualRuntime runtime = new VirtualRuntime();

	private final ObservedStore store = new ObservedStore(this.runtime::nanoTime);

	private final DefaultLockRegistry locks = registry(this.store, this.runtime);

	private static DefaultLockRegistry registry(ObservedStore store, EngineRuntime runtime) {
		return new DefaultLockRegistry(store,
				RegistrySettings
					.of((name) -> name.equals("team") ? OPTIONS.withWaitTime(Duration.ofMillis(1)) : OPTIONS)
					.withMaxWaiters(3)
					.withRuntime(runtime));
	}

	@AfterEach
	void nothingIsLeft() {
		this.locks.close();
		assertThat(RegistryAccess.isUnused(this.locks)).isTrue();
	}

	@Test
	@DisplayName("Waiters are served in order of arrival, without commands to the store, by leases with growing tokens")
	void firstComeFirstServed() {
		Lease lease = this.locks.acquire(KEY, OPTIONS);
		List<CompletableFuture<Optional<Lease>>> waiting = IntStream.range(0, 3).mapToObj((i) -> waitAsync()).toList();
		int commands = this.store.commands();
		for (CompletableFuture<Optional<Lease>> each : waiting) {
			assertThat(each).isNotDone();
			lease.close();
			Lease next = this.runtime.join(each).orElseThrow();
			assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
			lease = next;
		}
		lease.close();
		assertThat(this.store.commands()).as("the last release only").isEqualTo(commands + 1);
	}

	@Test
	@DisplayName("While this instance holds or queues for a lock, a try-lock caller is rejected without a command to the store")
	void rejectedWithoutStore() {
		Lease lease = this.locks.acquire(KEY, OPTIONS);
		CompletableFuture<Optional<Lease>> waiting = waitAsync();
		int commands = this.store.commands();
		assertThatExceptionOfType(LockConflictException.class).isThrownBy(() -> this.locks.acquire(KEY, OPTIONS))
			.satisfies((ex) -> assertThat(ex.getRetryAfter()).isEqualTo(OPTIONS.ttl()));
		assertThat(this.store.commands()).isEqualTo(commands);
		lease.close();
		this.runtime.join(waiting);
		int handedOff = this.store.commands();
		assertThat(this.locks.tryAcquire(KEY, OPTIONS)).isEmpty();
		assertThat(this.store.commands()).isEqualTo(handedOff);
		waiting.join().orElseThrow().close();
	}

	@Test
	@DisplayName("A waiter above max-waiters is rejected at once")
	void maxWaiters() {
		Lease lease = this.locks.acquire(KEY, OPTIONS);
		List<CompletableFuture<Optional<Lease>>> waiting = IntStream.range(0, 4).mapToObj((i) -> waitAsync()).toList();
		assertThat(this.runtime.join(waiting.get(3))).isEqualTo(Optional.empty());
		waiting.get(0).cancel(false);
		assertThat(waitAsync()).as("there is room again").isNotDone();
		lease.close();
		this.runtime.join(waiting.get(1));
	}

	@Test
	@DisplayName("A caller that finds the queue full is rejected for that reason; a try-lock caller, or a timed-out waiter, is not")
	void queueFull() {
		LockOptions impatient = OPTIONS.withWaitTime(Duration.ofMillis(1));
		Lease lease = this.locks.acquire(KEY, OPTIONS);
		waitAsync();
		waitAsync();
		assertThat(rejection(impatient)).isEqualTo("wait-timeout");
		CompletableFuture<Optional<Lease>> last = waitAsync();
		assertThat(rejection(WAITING)).isEqualTo("wait-queue-full");
		assertThat(rejection(impatient)).isEqualTo("wait-queue-full");
		assertThat(rejection(OPTIONS)).isEqualTo("request-in-progress");
		last.cancel(false);
		assertThat(rejection(impatient)).as("there is room again").isEqualTo("wait-timeout");
		lease.close();
	}

	@Test
	@DisplayName("The rejection of a full queue contains the remaining time of the holder's lease")
	void answerOfFullQueue() {
		this.locks.acquire(KEY, OPTIONS);
		IntStream.range(0, 3).forEach((i) -> waitAsync());
		CompletableFuture<Lease> rejected = this.locks.acquireAsync(KEY, WAITING).toCompletableFuture();
		this.runtime.settle();
		assertThat(rejected).failsWithin(Duration.ZERO)
			.withThrowableOfType(ExecutionException.class)
			.havingCause()
			.isInstanceOfSatisfying(LockConflictException.class, (ex) -> {
				assertThat(ex.getBody().getType()).hasToString(PROBLEMS + "wait-queue-full");
				assertThat(ex.getRetryAfter()).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(30));
				assertThat(ex).hasMessageContaining("too many callers are waiting");
			});
	}

	/** Returns the last segment of the problem type. */
	private String rejection(LockOptions options) {
		CompletableFuture<Lease> acquire = this.locks.acquireAsync(KEY, options).toCompletableFuture();
		this.runtime.pass(Duration.ofMillis(1));
		LockConflictException rejection = (LockConflictException) catchThrowableOfType(CompletionException.class,
				acquire::join)
			.getCause();
		return rejection.getBody().getType().toString().substring(PROBLEMS.length());
	}

	@Test
	@DisplayName("A waiter is rejected when its wait times out, at any position in the queue")
	void ownDeadlines() {
		this.locks.acquire(KEY, OPTIONS);
		CompletableFuture<Optional<Lease>> patient = waitAsync();
		CompletableFuture<Optional<Lease>> impatient = this.locks
			.tryAcquireAsync(KEY, OPTIONS.withWaitTime(Duration.ofMillis(100)))
			.toCompletableFuture();
		this.runtime.pass(Duration.ofMillis(100).minusNanos(1));
		assertThat(impatient).isNotDone();
		this.runtime.pass(Duration.ofNanos(1));
		assertThat(impatient).isCompletedWithValue(Optional.empty());
		assertThat(patient).isNotDone();
	}

	@Test
	@DisplayName("A turn ends after sixteen leases, and the store is asked again")
	void boundedInCount() throws Exception {
		ObservedStore store = new ObservedStore();
		DefaultLockRegistry locks = registry(store, new ThreadedRuntime());
		AtomicInteger held = new AtomicInteger();
		List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
		ExecutorService executor = Executors.newFixedThreadPool(3);
		List<Future<?>> running = IntStream.range(0, 3).<Future<?>>mapToObj((i) -> executor.submit(() -> {
			for (int each = 0; each < 400; each++) {
				try (Lease lease = locks.acquire(KEY, WAITING)) {
					assertThat(held.incrementAndGet()).isOne();
					tokens.add(lease.fencingToken());
					held.decrementAndGet();
				}
			}
		})).toList();
		for (Future<?> each : running) {
			each.get(30, TimeUnit.SECONDS);
		}
		executor.shutdown();
		assertThat(tokens).hasSize(1200).isSorted().doesNotHaveDuplicates();
		assertThat(store.acquires.get()).isGreaterThanOrEqualTo(1200 / 16);
		locks.close();
	}

	@Test
	@DisplayName("A turn ends after a time limit, and the store is asked again")
	void boundedInTime() {
		Lease lease = this.locks.acquire(KEY, OPTIONS);
		CompletableFuture<Optional<Lease>> waiting = waitAsync();
		this.runtime.pass(Duration.ofMillis(60));
		lease.close();
		this.runtime.pass(PAUSE);
		this.runtime.join(waiting);
		assertThat(this.store.acquires).hasValue(2);
	}

	@Test
	@DisplayName("Closing a lease again after its hand-off neither ends nor extends the next lease")
	void latePredecessor() {
		Lease lease = this.locks.acquire(KEY, OPTIONS);
		CompletableFuture<Optional<Lease>> waiting = waitAsync();
		lease.close();
		this.runtime.join(waiting);
		int commands = this.store.commands();
		lease.close();
		lease.releaseAsync();
		assertThat(lease.isHeld()).isFalse();
		assertThat(waiting.join().orElseThrow().isHeld()).isTrue();
		assertThat(this.store.commands()).isEqualTo(commands);
	}

	@Test
	@DisplayName("A released lease has ended, on whatever thread and however often it is closed, and reports no loss")
	void useAfterRelease() {
		Lease lease = this.locks.acquire(KEY, OPTIONS);
		AtomicInteger told = new AtomicInteger();
		lease.onLost(told::incrementAndGet);
		assertThat(CompletableFuture.runAsync(lease::close)).succeedsWithin(SOON);
		lease.close();
		this.runtime.join(lease.releaseAsync());
		lease.onLost(told::incrementAndGet);
		assertThat(lease.isHeld()).isFalse();
		assertThat(lease.remaining()).isZero();
		this.locks.acquire(KEY, OPTIONS).close();
		assertThat(this.store.releases).hasValue(2);
		this.runtime.pass(OPTIONS.ttl());
		assertThat(told).hasValue(0);
	}

	@Test
	@DisplayName("A lock that is no longer held is not handed off")
	void lostIsNotHandedOff() {
		Lease lease = this.locks.acquire(KEY, LockOptions.of(Duration.ofMillis(80)).withoutRenewal());
		CompletableFuture<Optional<Lease>> waiting = waitAsync();
		this.runtime.standStill(Duration.ofMillis(80));
		lease.close();
		this.runtime.join(waiting);
		assertThat(this.store.acquires.get()).isGreaterThanOrEqualTo(2);
	}

	@Test
	@DisplayName("A waiter with a different time to live gets its own lease from the store")
	void otherTtl() {
		Lease lease = this.locks.acquire(KEY, OPTIONS);
		CompletableFuture<Optional<Lease>> waiting = this.locks
			.tryAcquireAsync(KEY, LockOptions.of(Duration.ofMinutes(10)).withWaitTime(WAITING.waitTime()))
			.toCompletableFuture();
		lease.close();
		this.runtime.pass(PAUSE);
		this.runtime.join(waiting);
		assertThat(waiting.join().orElseThrow().remaining()).isGreaterThan(Duration.ofMinutes(9));
	}

	@Test
	@DisplayName("A store failure reaches all waiters, each with its own exception")
	void brokenStore() {
		Lease lease = this.locks.acquire(KEY, LockOptions.of(Duration.ofMinutes(1)));
		List<CompletableFuture<Optional<Lease>>> waiting = IntStream.range(0, 2).mapToObj((i) -> waitAsync()).toList();
		this.store.broken = true;
		lease.close();
		List<Throwable> failures = new ArrayList<>();
		this.runtime.pass(PAUSE);
		waiting.forEach((each) -> assertThat(each).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(LockStoreException.class)
			.satisfies(failures::add));
		assertThat(failures.get(0)).isNotSameAs(failures.get(1));
	}

	@Test
	@DisplayName("A waiter that is cancelled or interrupted is removed from the queue at once")
	void leavesTheQueue() {
		ObservedStore store = new ObservedStore();
		DefaultLockRegistry locks = registry(store, new ThreadedRuntime());
		Lease lease = locks.acquire(KEY, OPTIONS);
		List<WeakReference<?>> cancelled = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			CompletableFuture<Optional<Lease>> waiting = waitAsync(locks);
			assertThat(waiting).as("%d. in a queue with room for 3", i).isNotDone();
			waiting.cancel(false);
			cancelled.add(new WeakReference<>(waiting));
		}
		FutureTask<Lease> acquire = new FutureTask<>(() -> locks.acquire(KEY, WAITING));
		Thread caller = new Thread(acquire);
		caller.start();
		Awaitility.await().until(() -> caller.getState() == Thread.State.WAITING);
		caller.interrupt();
		assertThat(acquire).failsWithin(SOON).withThrowableThat().withCauseInstanceOf(LockStoreException.class);
		Awaitility.await().until(() -> {
			System.gc();
			return cancelled.stream().allMatch((each) -> each.get() == null);
		});
		lease.close();
		assertThat(store.releases).hasValue(1);
		locks.close();
	}

	@Test
	@DisplayName("When the store fails for two concurrent try-lock callers, neither gets a conflict")
	void brokenIsNotBusy() {
		this.store.withholding = true;
		CompletableFuture<Optional<Lease>> first = tryAsync();
		CompletableFuture<Optional<Lease>> second = tryAsync();
		assertThat(second).isNotDone();
		this.store.fail();
		this.runtime.settle();
		assertThat(first).failsWithin(Duration.ZERO).withThrowableThat().withCauseInstanceOf(LockStoreException.class);
		assertThat(second).failsWithin(Duration.ZERO).withThrowableThat().withCauseInstanceOf(LockStoreException.class);
		assertThat(this.store.acquires).hasValue(1);
	}

	@Test
	@DisplayName("Of two concurrent try-lock callers, one gets the lock and the other is rejected, by one command")
	void concurrentTryLocks() {
		this.store.withholding = true;
		CompletableFuture<Optional<Lease>> first = tryAsync();
		CompletableFuture<Optional<Lease>> second = tryAsync();
		this.store.deliver();
		assertThat(this.runtime.join(first)).matches(Optional::isPresent);
		assertThat(this.runtime.join(second)).isEqualTo(Optional.empty());
		assertThat(this.store.acquires).hasValue(1);
	}

	@Test
	@DisplayName("When the first of two callers is cancelled before the answer, the second gets the lock")
	void firstLeaves() {
		this.store.withholding = true;
		CompletableFuture<Optional<Lease>> first = tryAsync();
		CompletableFuture<Optional<Lease>> second = tryAsync();
		first.cancel(false);
		this.store.deliver();
		assertThat(this.runtime.join(second)).matches(Optional::isPresent);
		second.join().orElseThrow().close();
		this.runtime.settle();
		assertThat(RegistryAccess.isUnused(this.locks)).isTrue();
		assertThat(this.store.releases).hasValue(1);
	}

	@Test
	@DisplayName("When the first caller is cancelled before the answer, the third does not overtake the second")
	void noOvertaking() {
		this.store.withholding = true;
		CompletableFuture<Optional<Lease>> first = tryAsync();
		CompletableFuture<Optional<Lease>> second = tryAsync();
		first.cancel(false);
		CompletableFuture<Optional<Lease>> third = waitAsync();
		this.store.deliver();
		assertThat(this.runtime.join(second)).matches(Optional::isPresent);
		assertThat(third).isNotDone();
		second.join().orElseThrow().close();
		assertThat(this.runtime.join(third)).matches(Optional::isPresent);
	}

	@Test
	@DisplayName("When the first caller is cancelled and its time to live is over at the answer, the second gets the lock for its own time to live")
	void lateForAnother() {
		this.store.withholding = true;
		CompletableFuture<Optional<Lease>> first = this.locks.tryAcquireAsync(KEY, LockOptions.of(Duration.ofMillis(1)))
			.toCompletableFuture();
		CompletableFuture<Optional<Lease>> second = tryAsync();
		first.cancel(false);
		this.runtime.pass(Duration.ofMillis(1));
		this.store.deliver();
		assertThat(this.runtime.join(second)).matches(Optional::isPresent);
		second.join().orElseThrow().close();
	}

	@Test
	@DisplayName("While a lock is being released, a try-lock caller is not rejected because of another one before it")
	void duringRelease() {
		Lease lease = this.locks.acquire(KEY, OPTIONS);
		this.store.withholding = true;
		lease.releaseAsync();
		List<CompletableFuture<Optional<Lease>>> asking = List.of(tryAsync(), tryAsync(), tryAsync());
		asking.get(0).cancel(false);
		assertThat(asking.get(1)).isNotDone();
		this.store.deliver();
		assertThat(this.runtime.join(asking.get(1))).matches(Optional::isPresent);
		assertThat(this.runtime.join(asking.get(2))).isEqualTo(Optional.empty());
		asking.get(1).join().orElseThrow().close();
	}

	@Test
	@DisplayName("Closing a lease never throws, even if its release stage was completed by other code")
	void foreignCompletion() {
		ObservedStore store = new ObservedStore();
		DefaultLockRegistry locks = registry(store, new ThreadedRuntime());
		store.withholding = true;
		CompletableFuture<Optional<Lease>> acquired = tryAsync(locks);
		store.deliver();
		Lease lease = acquired.join().orElseThrow();
		store.withholding = true;
		lease.releaseAsync().toCompletableFuture().completeExceptionally(new IllegalStateException());
		CompletableFuture<Void> closed = CompletableFuture.runAsync(lease::close);
		store.deliver();
		assertThat(closed).succeedsWithin(SOON);
		locks.close();
	}

	@Test
	@DisplayName("Callbacks of a release do not run on the thread of the store or of another caller")
	void threadOfRelease() {
		ObservedStore store = new ObservedStore();
		DefaultLockRegistry locks = registry(store, new ThreadedRuntime());
		Lease lease = locks.acquire(KEY, OPTIONS);
		CompletableFuture<String> thread = new CompletableFuture<>();
		store.withholding = true;
		lease.releaseAsync().thenRun(() -> thread.complete(Thread.currentThread().getName()));
		store.deliver();
		assertThat(thread).succeedsWithin(SOON).asString().startsWith("lock-answers");
		locks.close();
	}

	@Test
	@DisplayName("close waits for commands under way in the store")
	void closeWaits() {
		ObservedStore store = new ObservedStore();
		DefaultLockRegistry locks = registry(store, new ThreadedRuntime());
		store.withholding = true;
		CompletableFuture<Optional<Lease>> acquire = tryAsync(locks);
		CompletableFuture<Void> closed = CompletableFuture.runAsync(locks::close);
		assertThat(acquire).failsWithin(SOON);
		assertThat(closed).isNotDone();
		store.deliver();
		assertThat(closed).succeedsWithin(SOON);
		assertThat(store.releases).hasValue(1);
	}

	@Test
	@DisplayName("A try-lock caller gets the lock even while its release is under way")
	void afterUnawaitedRelease() {
		this.locks.acquire(KEY, OPTIONS).releaseAsync();
		assertThat(this.locks.tryAcquire(KEY, OPTIONS)).isPresent();
	}

	@Test
	@DisplayName("A callback of an answer may block, and even acquire the same lock again")
	void blockingCallback() {
		ObservedStore store = new ObservedStore();
		DefaultLockRegistry locks = registry(store, new ThreadedRuntime());
		Lease lease = locks.acquire(KEY, OPTIONS);
		CompletableFuture<String> work = waitAsync(locks).thenApply((granted) -> {
			granted.orElseThrow().close();
			locks.acquire(KEY, WAITING).close();
			return "done";
		});
		lease.close();
		assertThat(work).succeedsWithin(SOON).isEqualTo("done");
		locks.close();
	}

	@Test
	@DisplayName("When the registry drains, waiters are rejected with 503, and a free lock is still granted")
	void drains() {
		Lease lease = this.locks.acquire(KEY, OPTIONS);
		CompletableFuture<Optional<Lease>> waiting = waitAsync();
		this.locks.drain();
		this.runtime.settle();
		assertThat(waiting).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.withCauseInstanceOf(LockStoreException.class);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.locks.acquire(KEY, WAITING))
			.withMessageContaining("closed");
		assertThatExceptionOfType(LockConflictException.class).isThrownBy(() -> this.locks.acquire(KEY, OPTIONS));
		this.locks.acquire(new LockKey("queue", "free"), WAITING).close();
		lease.close();
		this.locks.release();
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.locks.acquire(KEY, OPTIONS))
			.withMessageContaining("closed");
		this.locks.open();
		this.locks.acquire(KEY, OPTIONS).close();
	}

	@Test
	@DisplayName("A lock can be named by a string, and is acquired with the settings of its name")
	void byText() {
		DefaultLockRegistry locks = registry(new ObservedStore(), new ThreadedRuntime());
		try (Lease lease = locks.acquire("team:42")) {
			assertThat(lease.key()).isEqualTo(new LockKey("team", "42"));
			assertThat(locks.tryAcquire("team:42", Duration.ZERO)).isEmpty();
			assertThat(locks.tryAcquireAsync("team:42", Duration.ofMillis(50))).succeedsWithin(SOON)
				.isEqualTo(Optional.empty());
			assertThat(locks.tryAcquire("team:43", Duration.ZERO)).isPresent();
			assertThatExceptionOfType(LockConflictException.class).isThrownBy(() -> locks.acquire("team:42"))
				.satisfies((ex) -> assertThat(ex.getBody().getType()).hasToString(PROBLEMS + "wait-timeout"));
		}
		assertThat(locks.acquire("report").key()).isEqualTo(new LockKey("report", ""));
		assertThat(LockKey.of("a:b:c")).isEqualTo(new LockKey("a", "b:c"));
		assertThatIllegalArgumentException().isThrownBy(() -> locks.acquire(":42"));
		assertThatIllegalArgumentException().isThrownBy(() -> locks.acquire(""));
		locks.close();
	}

	private CompletableFuture<Optional<Lease>> tryAsync() {
		return tryAsync(this.locks);
	}

	private static CompletableFuture<Optional<Lease>> tryAsync(DefaultLockRegistry locks) {
		return locks.tryAcquireAsync(KEY, OPTIONS).toCompletableFuture();
	}

	private CompletableFuture<Optional<Lease>> waitAsync() {
		return waitAsync(this.locks);
	}

	private static CompletableFuture<Optional<Lease>> waitAsync(DefaultLockRegistry locks) {
		return locks.tryAcquireAsync(KEY, WAITING).toCompletableFuture();
	}

}
