package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.count.LockEventCounter;
import io.github.lockstarter.store.memory.MemoryLockStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Claim of several locks, all or none.
 */
class GroupAcquisitionTests {

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));

	private static final LockOptions WAITING = OPTIONS.withWaitTime(Duration.ofSeconds(20));

	private final VirtualRuntime runtime = new VirtualRuntime();

	private final ObservedStore store = new ObservedStore(this.runtime::nanoTime);

	private final LockEventCounter counts = new LockEventCounter();

	private final DefaultLockRegistry locks = this.runtime.registry(this.store, this.counts);

	private final DefaultLockRegistry elsewhere = this.runtime.registry(this.store);

	private final Executor executor = this.runtime.callbacks();

	@AfterEach
	void nothingIsLeft() {
		this.locks.close();
		this.elsewhere.close();
		this.runtime.settle();
		assertThat(RegistryAccess.isUnused(this.locks)).isTrue();
		assertThat(held(20)).isEmpty();
	}

	@Test
	@DisplayName("Leases that are granted synchronously or on other threads are held until they are released")
	void heldOnOtherThreads() throws Exception {
		try (DefaultLockRegistry real = new DefaultLockRegistry(new MemoryLockStore(),
				RegistrySettings.of(LockOptions.of(Duration.ofSeconds(30))))) {
			for (Executor executor : List.<Executor>of(Runnable::run, ForkJoinPool.commonPool())) {
				for (int i = 0; i < 1000; i++) {
					List<Lease> leases = real
						.acquireAllAsync(List.of(new LockKey("real", "a" + i), new LockKey("real", "b" + i)),
								LockOptions.of(Duration.ofSeconds(30)), executor)
						.toCompletableFuture()
						.get(1, TimeUnit.MINUTES);
					assertThat(leases).hasSize(2).allMatch(Lease::isHeld);
					leases.forEach(Lease::close);
				}
			}
		}
	}

	@Test
	@DisplayName("Twenty free locks are one command to the store; the leases are in key order, and a duplicate key counts once")
	void oneQuestion() {
		List<LockKey> wanted = new ArrayList<>(keys(20));
		wanted.addAll(keys(3));
		Collections.shuffle(wanted, new Random(1));
		List<Lease> leases = this.locks.acquireAll(wanted, OPTIONS);
		assertThat(this.store.acquires).hasValue(1);
		assertThat(leases).extracting(Lease::key).containsExactlyElementsOf(keys(20));
		assertThat(leases).allMatch(Lease::isHeld);
		leases.forEach(Lease::close);
		List<Lease> again = join(this.locks.acquireAllAsync(wanted, OPTIONS, this.executor).toCompletableFuture());
		assertThat(this.store.acquires).hasValue(2);
		for (int i = 0; i < 20; i++) {
			assertThat(again.get(i).fencingToken()).isGreaterThan(leases.get(i).fencingToken());
		}
		again.forEach(Lease::close);
		assertThat(this.counts.get("several", Event.GRANTED)).isEqualTo(40);
	}

	@Test
	@DisplayName("No lock and one lock work like several")
	void noneAndOne() {
		assertThat(this.locks.acquireAll(List.of(), OPTIONS)).isEmpty();
		assertThat(join(this.locks.acquireAllAsync(List.of(), OPTIONS, this.executor).toCompletableFuture())).isEmpty();
		assertThat(this.store.commands()).isZero();
		List<Lease> one = this.locks.acquireAll(keys(1), OPTIONS);
		assertThat(one).hasSize(1);
		one.get(0).close();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	@DisplayName("If another instance holds one lock, a try-lock caller is rejected for it, and holds none")
	void rejected(boolean acquiresAll) {
		this.store.acquiresAll = acquiresAll;
		DefaultLockRegistry locks = this.runtime.registry(this.store, this.counts);
		Lease seventh = this.elsewhere.acquire(key(7), OPTIONS);
		Lease twelfth = this.elsewhere.acquire(key(12), OPTIONS);
		int before = this.store.acquires.get();
		assertThatExceptionOfType(LockConflictException.class).isThrownBy(() -> locks.acquireAll(keys(20), OPTIONS))
			.satisfies((ex) -> assertThat(ex.getRetryAfter()).isEqualTo(OPTIONS.ttl()));
		if (acquiresAll) {
			assertThat(this.store.acquires).as("one question").hasValue(before + 1);
		}
		assertThat(held(20)).containsExactly(7, 12);
		assertThat(failure(locks.acquireAllAsync(keys(20), OPTIONS, this.executor).toCompletableFuture()))
			.isInstanceOf(LockConflictException.class);
		assertThat(held(20)).containsExactly(7, 12);
		seventh.close();
		twelfth.close();
		assertThat(RegistryAccess.isUnused(locks)).isTrue();
		locks.close();
	}

	@Test
	@DisplayName("If this instance holds one lock, a try-lock caller is rejected without a command to the store, before the method returns")
	void rejectedHere() {
		Lease lease = this.locks.acquire(key(7), OPTIONS);
		int before = this.store.commands();
		assertThatExceptionOfType(LockConflictException.class)
			.isThrownBy(() -> this.locks.acquireAll(keys(20), OPTIONS));
		assertThat(this.locks.acquireAllAsync(keys(20), OPTIONS, this.executor).toCompletableFuture())
			.isCompletedExceptionally();
		assertThat(this.store.commands()).isEqualTo(before);
		lease.close();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	@DisplayName("A waiter for one of the locks holds the locks before it and none after it, and then gets all")
	void waits(boolean here) {
		Lease lease = (here ? this.locks : this.elsewhere).acquire(key(7), OPTIONS);
		CompletableFuture<List<Lease>> waiting = this.locks.acquireAllAsync(keys(20), WAITING, this.executor)
			.toCompletableFuture();
		this.runtime.pass(Duration.ofSeconds(1));
		assertThat(waiting).isNotDone();
		assertThat(held(20)).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
		lease.close();
		this.runtime.pass(Duration.ofSeconds(1));
		assertThat(waiting).isCompletedWithValueMatching((leases) -> leases.stream().allMatch(Lease::isHeld));
		assertThat(held(20)).hasSize(20);
		waiting.join().forEach(Lease::close);
	}

	@Test
	@DisplayName("A wait for one of twenty locks that this instance holds needs two commands: for the locks before and after it")
	void questionsOfAWait() {
		Lease lease = this.locks.acquire(key(7), OPTIONS);
		int before = this.store.acquires.get();
		CompletableFuture<List<Lease>> waiting = this.locks.acquireAllAsync(keys(20), WAITING, this.executor)
			.toCompletableFuture();
		this.runtime.settle();
		assertThat(this.store.acquires).as("those before it").hasValue(before + 1);
		lease.close();
		join(waiting).forEach(Lease::close);
		assertThat(this.store.acquires).as("those behind it; it was handed off").hasValue(before + 2);
	}

	@Test
	@DisplayName("A wait for one of twenty locks that another instance holds needs three commands besides those of the wait")
	void questionsOfAWaitElsewhere() {
		Lease lease = this.elsewhere.acquire(key(7), OPTIONS);
		int before = this.store.acquires.get();
		CompletableFuture<List<Lease>> waiting = this.locks.acquireAllAsync(keys(20), WAITING, this.executor)
			.toCompletableFuture();
		this.runtime.settle();
		assertThat(this.store.acquires).as("rejected, those before it, and itself").hasValue(before + 3);
		lease.close();
		this.runtime.pass(Duration.ofMillis(200));
		assertThat(waiting).isCompleted();
		assertThat(this.store.acquires).as("itself, and those behind it").hasValue(before + 5);
		waiting.join().forEach(Lease::close);
	}

	@Test
	@DisplayName("The wait time applies to all locks together; when it is over, the caller is rejected and holds no lock")
	void oneDeadline() {
		Lease first = this.elsewhere.acquire(key(3), OPTIONS);
		Lease second = this.elsewhere.acquire(key(9), OPTIONS);
		CompletableFuture<List<Lease>> waiting = this.locks.acquireAllAsync(keys(20), WAITING, this.executor)
			.toCompletableFuture();
		this.runtime.pass(Duration.ofSeconds(15));
		first.close();
		this.runtime.pass(Duration.ofSeconds(4));
		assertThat(waiting).isNotDone();
		this.runtime.pass(Duration.ofSeconds(2));
		assertThat(failure(waiting)).isInstanceOf(LockConflictException.class);
		assertThat(held(20)).containsExactly(9);
		second.close();
	}

	@Test
	@DisplayName("Two callers that want the same locks in opposite order both get them")
	void oppositeOrders() {
		List<LockKey> reversed = new ArrayList<>(keys(10));
		Collections.reverse(reversed);
		CompletableFuture<List<Lease>> one = this.locks.acquireAllAsync(keys(10), WAITING, this.executor)
			.toCompletableFuture();
		CompletableFuture<List<Lease>> two = this.locks.acquireAllAsync(reversed, WAITING, this.executor)
			.toCompletableFuture();
		CompletableFuture<List<Lease>> three = this.elsewhere.acquireAllAsync(reversed, WAITING, this.executor)
			.toCompletableFuture();
		for (CompletableFuture<List<Lease>> each : List.of(one, two, three)) {
			this.runtime.pass(Duration.ofSeconds(1));
			assertThat(each).isCompleted();
			each.join().forEach(Lease::close);
		}
	}

	@Test
	@DisplayName("When the store fails, the caller gets the failure, and holds no lock")
	void broken() {
		this.store.broken = true;
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.locks.acquireAll(keys(20), WAITING));
		this.store.broken = false;
		Lease lease = this.elsewhere.acquire(key(7), OPTIONS);
		CompletableFuture<List<Lease>> waiting = this.locks.acquireAllAsync(keys(20), WAITING, this.executor)
			.toCompletableFuture();
		this.runtime.settle();
		this.store.onAcquire = () -> this.store.broken = true;
		lease.releaseAsync();
		this.runtime.pass(Duration.ofSeconds(1));
		assertThat(failure(waiting)).isInstanceOf(LockStoreException.class);
		this.store.onAcquire = () -> {
		};
		this.store.broken = false;
		assertThat(RegistryAccess.isUnused(this.locks)).isTrue();
		// The releases have failed as well, and are repeated by the store.
		this.runtime.pass(Duration.ofMinutes(1));
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 2 })
	@DisplayName("A caller that cancels leaves nothing behind: during the command, during the wait, or after the grant")
	void givesUp(int way) {
		List<Consumer<CompletableFuture<?>>> ways = List.of((answer) -> answer.cancel(true),
				(answer) -> answer.complete(null), (answer) -> answer.completeExceptionally(new RuntimeException()));
		this.store.withholding = true;
		this.store.executingAtOnce = true;
		CompletableFuture<List<Lease>> asking = this.locks.acquireAllAsync(keys(20), WAITING, this.executor)
			.toCompletableFuture();
		ways.get(way).accept(asking);
		this.store.deliver();
		this.runtime.settle();
		assertThat(held(20)).isEmpty();
		Lease lease = this.elsewhere.acquire(key(7), OPTIONS);
		CompletableFuture<List<Lease>> waiting = this.locks.acquireAllAsync(keys(20), WAITING, this.executor)
			.toCompletableFuture();
		this.runtime.settle();
		ways.get(way).accept(waiting);
		this.runtime.settle();
		assertThat(held(20)).containsExactly(7);
		lease.close();
		CompletableFuture<List<Lease>> granted = this.locks.acquireAllAsync(keys(20), WAITING, this.executor)
			.toCompletableFuture();
		ways.get(way).accept(granted);
		this.runtime.settle();
		assertThat(held(20)).isEmpty();
		assertThat(RegistryAccess.isUnused(this.locks)).isTrue();
	}

	@Test
	@DisplayName("A caller that is interrupted during the wait holds no lock")
	void interrupted() throws Exception {
		DefaultLockRegistry locks = new DefaultLockRegistry(this.store, RegistrySettings.of(OPTIONS));
		Lease lease = this.elsewhere.acquire(key(7), OPTIONS);
		CompletableFuture<Throwable> thrown = new CompletableFuture<>();
		Thread caller = new Thread(() -> {
			try {
				locks.acquireAll(keys(20), WAITING);
			}
			catch (LockStoreException ex) {
				thrown.complete(Thread.currentThread().isInterrupted() ? ex : null);
			}
		});
		caller.start();
		Awaitility.await().until(() -> held(20).size() == 8);
		caller.interrupt();
		assertThat(thrown.get(20, TimeUnit.SECONDS)).isInstanceOf(LockStoreException.class);
		assertThat(held(20)).containsExactly(7);
		lease.close();
		locks.close();
	}

	@Test
	@DisplayName("Other callers of one of the locks are served if the acquisition of several locks does not get it")
	void othersJoin() {
		Lease lease = this.elsewhere.acquire(key(0), OPTIONS);
		this.store.withholding = true;
		CompletableFuture<List<Lease>> group = this.locks.acquireAllAsync(keys(20), OPTIONS, this.executor)
			.toCompletableFuture();
		CompletableFuture<Optional<Lease>> tryLock = this.locks.tryAcquireAsync(key(5), OPTIONS).toCompletableFuture();
		CompletableFuture<Optional<Lease>> waiter = this.locks.tryAcquireAsync(key(6), WAITING).toCompletableFuture();
		CompletableFuture<Optional<Lease>> rejected = this.locks.tryAcquireAsync(key(0), OPTIONS).toCompletableFuture();
		this.store.deliver();
		assertThat(failure(group)).isInstanceOf(LockConflictException.class);
		assertThat(join(rejected)).isEmpty();
		join(tryLock).orElseThrow().close();
		join(waiter).orElseThrow().close();
		lease.close();
	}

	@Test
	@DisplayName("When the registry closes during a command, the caller is answered, and a later grant is released")
	void closed() {
		this.store.withholding = true;
		this.store.executingAtOnce = true;
		CompletableFuture<List<Lease>> group = this.locks.acquireAllAsync(keys(20), WAITING, this.executor)
			.toCompletableFuture();
		CompletableFuture<Void> released = this.locks.releaseAll();
		assertThat(failure(group)).isInstanceOf(LockStoreException.class);
		this.store.deliver();
		this.runtime.settle();
		assertThat(released).isCompleted();
		assertThat(held(20)).isEmpty();
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.locks.acquireAll(keys(20), WAITING));
	}

	@Test
	@DisplayName("A lease that is lost while the caller waits for another lock is not returned")
	void lostWhileWaiting() {
		Lease lease = this.elsewhere.acquire(key(7), OPTIONS);
		CompletableFuture<List<Lease>> waiting = this.locks.acquireAllAsync(keys(20),
				LockOptions.of(Duration.ofSeconds(2)).withoutRenewal().withWaitTime(WAITING.waitTime()), this.executor)
			.toCompletableFuture();
		this.runtime.pass(Duration.ofSeconds(5));
		lease.close();
		this.runtime.pass(Duration.ofSeconds(1));
		assertThat(failure(waiting)).isInstanceOf(LeaseLostException.class);
		assertThat(held(20)).isEmpty();
	}

	@Test
	@DisplayName("Ten thousand locks are acquired in commands of 128, and all are released if the last one is held")
	void tenThousand() {
		List<Lease> leases = this.locks.acquireAll(keys(10_000), OPTIONS);
		assertThat(this.store.acquires).hasValue(79);
		assertThat(leases).hasSize(10_000).allMatch(Lease::isHeld);
		leases.forEach(Lease::close);
		Lease last = this.elsewhere.acquire(key(9_999), OPTIONS);
		assertThatExceptionOfType(LockConflictException.class)
			.isThrownBy(() -> this.locks.acquireAll(keys(10_000), OPTIONS));
		assertThat(failure(this.locks.acquireAllAsync(keys(10_000), OPTIONS, this.executor).toCompletableFuture()))
			.isInstanceOf(LockConflictException.class);
		assertThat(held(10_000)).containsExactly(9_999);
		last.close();
	}

	@Test
	@DisplayName("Six threads that each want some of five locks exclude each other, and all are served")
	void threads() {
		DefaultLockRegistry locks = new DefaultLockRegistry(new MemoryLockStore(), RegistrySettings.of(OPTIONS));
		AtomicIntegerArray holders = new AtomicIntegerArray(5);
		AtomicInteger violations = new AtomicInteger();
		List<Thread> threads = new ArrayList<>();
		AtomicInteger served = new AtomicInteger();
		for (int i = 0; i < 6; i++) {
			RandomGenerator random = new Random(i);
			threads.add(new Thread(() -> {
				for (int round = 0; round < 300; round++) {
					List<LockKey> wanted = IntStream.range(0, 1 + random.nextInt(4))
						.mapToObj((each) -> key(random.nextInt(5)))
						.toList();
					List<Lease> leases = locks.acquireAll(wanted, WAITING);
					leases.forEach((lease) -> violations.addAndGet(holders.getAndIncrement(place(lease))));
					Thread.yield();
					leases.forEach((lease) -> holders.decrementAndGet(place(lease)));
					leases.forEach(Lease::close);
				}
				served.incrementAndGet();
			}));
		}
		threads.forEach(Thread::start);
		Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> served.get() == 6);
		assertThat(violations).hasValue(0);
		assertThat(RegistryAccess.isUnused(locks)).isTrue();
		locks.close();
	}

	private static int place(Lease lease) {
		return Integer.parseInt(lease.key().key());
	}

	private static List<LockKey> keys(int count) {
		return IntStream.range(0, count).mapToObj(GroupAcquisitionTests::key).toList();
	}

	private static LockKey key(int place) {
		return new LockKey("several", "%04d".formatted(place));
	}

	/** Returns the indexes of the keys whose locks are held in the store. */
	private List<Integer> held(int count) {
		return IntStream.range(0, count)
			.filter((
					place) -> this.store.memory().lock(key(place)).remaining().toCompletableFuture().join().isPresent())
			.boxed()
			.toList();
	}

	private <T> T join(CompletableFuture<T> stage) {
		return this.runtime.join(stage);
	}

	private Throwable failure(CompletableFuture<?> stage) {
		this.runtime.settle();
		assertThat(stage).isCompletedExceptionally();
		return stage.handle((value, failure) -> failure).join();
	}

}
