package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.Capability;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.StoredResult;
import io.github.lockstarter.store.memory.MemoryLockStore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * An application's store that violates its contract: the caller is answered, and the next
 * caller acquires the lock once the store works again.
 */
class FaultyStoreTests {

	private static final LockKey KEY = new LockKey("registration", "taro");

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(10));

	private static final LockOptions WAITING = OPTIONS.withWaitTime(Duration.ofSeconds(30));

	/** The time after which no lease is handed off without a command to the store. */
	private static final Duration A_TURN = Duration.ofMillis(60);

	private final VirtualRuntime runtime = new VirtualRuntime();

	private final MemoryLockStore memory = new MemoryLockStore(this.runtime::nanoTime);

	private final FaultyStore store = new FaultyStore();

	private final DefaultLockRegistry locks = this.runtime.registry(this.store);

	@AfterEach
	void nothingIsLeft() {
		assertThat(this.locks.releaseAll()).isCompleted();
		assertThat(RegistryAccess.isUnused(this.locks)).isTrue();
		assertThat(this.store.notified).as("handles that are not closed").isEmpty();
		this.locks.close();
	}

	static Stream<Fault> faults() {
		return Stream.of(() -> null, () -> {
			throw new IllegalStateException("not now");
		}, () -> {
			throw new NoClassDefFoundError("a class that is missing");
		});
	}

	static Stream<Fault> failures() {
		return Stream.of(() -> CompletableFuture.failedFuture(new IllegalStateException("not now")),
				() -> CompletableFuture.completedFuture(null));
	}

	@ParameterizedTest
	@MethodSource("faults")
	@DisplayName("A store that returns no handle for a lock has failed")
	void noHandle(Fault fault) {
		this.store.onLock = fault;
		assertFails(WAITING);
		this.store.onLock = null;
		assertServesCallers();
	}

	@ParameterizedTest
	@MethodSource({ "faults", "failures" })
	@DisplayName("A store that returns no answer to an acquisition has failed")
	void noAnswerToAcquisition(Fault fault) {
		this.store.onAcquire = fault;
		assertFails(OPTIONS);
		assertFails(WAITING);
		this.store.onAcquire = null;
		assertServesCallers();
	}

	@ParameterizedTest
	@MethodSource("faults")
	@DisplayName("A store that returns no answer to a release blocks neither the holder nor the next waiter")
	void noAnswerToRelease(Fault fault) {
		Lease lease = this.locks.acquire(KEY, OPTIONS);
		this.store.onRelease = fault;
		CompletableFuture<Void> released = lease.releaseAsync().toCompletableFuture();
		this.runtime.settle();
		assertThat(released).isCompleted();
		this.store.onRelease = null;
		CompletableFuture<Optional<Lease>> next = this.locks.tryAcquireAsync(KEY, WAITING).toCompletableFuture();
		this.runtime.pass(OPTIONS.ttl().plusSeconds(1));
		this.runtime.join(this.runtime.join(next).orElseThrow().releaseAsync());
	}

	@ParameterizedTest
	@MethodSource({ "faults", "failures" })
	@DisplayName("When a store returns no answer to the end of a turn, the lock is released")
	void noAnswerToEndOfTurn(Fault fault) {
		Lease lease = this.locks.acquire(KEY, OPTIONS);
		CompletableFuture<Optional<Lease>> waiting = this.locks.tryAcquireAsync(KEY, WAITING).toCompletableFuture();
		this.runtime.pass(A_TURN);
		this.store.onAcquire = fault;
		CompletableFuture<Void> released = lease.releaseAsync().toCompletableFuture();
		this.runtime.settle();
		assertThat(released).isCompleted();
		assertThat(waiting).isCompletedExceptionally();
		this.store.onAcquire = null;
		assertServesCallers();
	}

	@Test
	@DisplayName("A waiter gets the lock although the store fails to end its notifications")
	void notificationsDoNotEnd() {
		StoredLock elsewhere = this.memory.lock(KEY);
		elsewhere.acquire(AcquireCommand.of("elsewhere", OPTIONS.ttl()));
		this.store.onClose = () -> {
			throw new NoClassDefFoundError("a class that is missing");
		};
		CompletableFuture<Optional<Lease>> waiting = this.locks.tryAcquireAsync(KEY, WAITING).toCompletableFuture();
		this.runtime.settle();
		assertThat(waiting).isNotDone();
		elsewhere.release("elsewhere", null);
		this.runtime.pass(Duration.ofSeconds(2));
		Lease lease = this.runtime.join(waiting).orElseThrow();
		this.runtime.pass(OPTIONS.ttl().multipliedBy(2));
		assertThat(lease.isHeld()).as("it is renewed").isTrue();
		this.runtime.join(lease.releaseAsync());
		assertServesCallers();
	}

	@Test
	@DisplayName("A waiter is rejected in time although the store fails to end its notifications")
	void rejectedInTime() {
		this.memory.lock(KEY).acquire(AcquireCommand.of("elsewhere", WAITING.waitTime().multipliedBy(2)));
		this.store.onClose = () -> {
			throw new IllegalStateException("not now");
		};
		CompletableFuture<Optional<Lease>> waiting = this.locks.tryAcquireAsync(KEY, WAITING).toCompletableFuture();
		this.runtime.pass(WAITING.waitTime());
		assertThat(this.runtime.join(waiting)).isEmpty();
		assertThat(RegistryAccess.isUnused(this.locks)).isTrue();
	}

	@Test
	@DisplayName("A store that answers twice creates one holder")
	void answersTwice() {
		this.store.onAcquire = () -> new CompletableFuture<AcquireResult>() {

			@Override
			public CompletableFuture<AcquireResult> whenComplete(
					BiConsumer<? super AcquireResult, ? super Throwable> action) {
				action.accept(new Granted(1), null);
				action.accept(new Granted(1), null);
				return this;
			}

		};
		CompletableFuture<Lease> first = this.locks.acquireAsync(KEY, WAITING).toCompletableFuture();
		CompletableFuture<Lease> second = this.locks.acquireAsync(KEY, WAITING).toCompletableFuture();
		this.runtime.settle();
		assertThat(second).isNotDone();
		this.store.onAcquire = null;
		this.runtime.join(this.runtime.join(first).releaseAsync());
		this.runtime.join(this.runtime.join(second).releaseAsync());
	}

	@Test
	@DisplayName("A waiter repeats its command if the notifications it depends on end with an earlier lease")
	void notificationsEndLate() {
		StoredLock elsewhere = this.memory.lock(KEY);
		elsewhere.acquire(AcquireCommand.of("elsewhere", OPTIONS.ttl()));
		CompletableFuture<Optional<Lease>> first = this.locks.tryAcquireAsync(KEY, WAITING).toCompletableFuture();
		CompletableFuture<Optional<Lease>> second = this.locks.tryAcquireAsync(KEY, WAITING).toCompletableFuture();
		this.runtime.settle();
		AtomicInteger asked = new AtomicInteger();
		this.store.onClose = () -> {
			this.store.onClose = null;
			this.store.onAcquire = () -> {
				asked.incrementAndGet();
				return CompletableFuture.completedFuture(new Held(OPTIONS.ttl(), 1));
			};
			forceRelease();
			assertThat(asked).as("the second waiter has asked").hasValue(1);
			return null;
		};
		elsewhere.release("elsewhere", null);
		while (asked.get() == 0) {
			this.runtime.pass(Duration.ofMillis(1));
		}
		assertThat(asked).hasValue(2);
		assertThat(this.runtime.join(first).orElseThrow().isHeld()).isFalse();
		this.store.onAcquire = null;
		this.runtime.pass(OPTIONS.ttl());
		this.runtime.join(this.runtime.join(second).orElseThrow().releaseAsync());
	}

	@Test
	@DisplayName("A waiter whose command overlaps the end of the previous lease's notifications gets the lock, and its own notifications end")
	void notificationsEndWhileNextAsks() throws InterruptedException {
		CompletableFuture<AcquireResult> answer = new CompletableFuture<>();
		this.store.onAcquire = () -> answer;
		CompletableFuture<Lease> first = this.locks.acquireAsync(KEY, WAITING).toCompletableFuture();
		CompletableFuture<Lease> second = this.locks.acquireAsync(KEY, WAITING).toCompletableFuture();
		this.store.onAcquire = null;
		CountDownLatch asking = new CountDownLatch(1);
		CountDownLatch ended = new CountDownLatch(1);
		this.store.beforeAcquire = () -> {
			asking.countDown();
			await(ended);
		};
		Thread operator = new Thread(this::forceRelease);
		// The caller is rejected when the first waiter holds the lock and still gets
		// notifications.
		this.locks.acquireAsync(KEY, OPTIONS, (rejection) -> {
			operator.start();
			await(asking);
			rejection.run();
		});
		answer.complete(new Granted(1));
		ended.countDown();
		operator.join();
		assertThat(this.runtime.join(first).isHeld()).isFalse();
		this.runtime.join(this.runtime.join(second).releaseAsync());
	}

	private void forceRelease() {
		LockInspector inspector = new LockInspector(this.locks);
		long fencingToken = Objects.requireNonNull(inspector.snapshot().get(0).held()).fencingToken();
		assertThat(inspector.forceRelease(KEY, fencingToken)).isNotNull();
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@ParameterizedTest
	@MethodSource("faults")
	@DisplayName("A store that returns no answer to the release of a token has failed")
	void noAnswerToToken(Fault fault) {
		this.store.onRelease = fault;
		CompletableFuture<Boolean> released = new DefaultTokenLocks(this.locks).releaseAsync(KEY, "a-token-of-my-own")
			.toCompletableFuture();
		this.runtime.settle();
		assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> released.getNow(null))
			.withCauseInstanceOf(LockStoreException.class);
	}

	private void assertFails(LockOptions options) {
		CompletableFuture<Optional<Lease>> answer = this.locks.tryAcquireAsync(KEY, options).toCompletableFuture();
		this.runtime.settle();
		assertThat(answer).isCompletedExceptionally();
		assertThatExceptionOfType(CompletionException.class).isThrownBy(answer::join)
			.withCauseInstanceOf(LockStoreException.class);
		assertThat(RegistryAccess.isUnused(this.locks)).isTrue();
	}

	private void assertServesCallers() {
		for (int i = 0; i < 2; i++) {
			Lease lease = this.runtime.join(this.locks.acquireAsync(KEY, (i == 0) ? OPTIONS : WAITING));
			this.runtime.join(lease.releaseAsync());
		}
	}

	/**
	 * A replaced behaviour of the store.
	 */
	@FunctionalInterface
	interface Fault {

		@Nullable Object occur();

	}

	/**
	 * A store in memory that declares NOTIFIES, with faults that the test injects.
	 */
	private final class FaultyStore implements LockStore {

		private @Nullable Fault onLock;

		private Runnable beforeAcquire = () -> {
		};

		private @Nullable Fault onAcquire;

		private @Nullable Fault onRelease;

		private @Nullable Fault onClose;

		/** The handles that are notified of releases until they are closed. */
		private final Set<StoredLock> notified = ConcurrentHashMap.newKeySet();

		@Override
		public Set<Capability> capabilities() {
			return Set.of(Capability.NOTIFIES, Capability.HANDS_OVER, Capability.HOLDS_FOR_TOKENS);
		}

		@Override
		@SuppressWarnings("unchecked")
		public StoredLock lock(LockKey key) {
			if (this.onLock != null) {
				return (StoredLock) this.onLock.occur();
			}
			StoredLock memory = FaultyStoreTests.this.memory.lock(key);
			return new StoredLock() {

				@Override
				public CompletionStage<AcquireResult> acquire(AcquireCommand command) {
					FaultyStore.this.beforeAcquire.run();
					if (command.onRelease() != null) {
						FaultyStore.this.notified.add(this);
					}
					Fault fault = FaultyStore.this.onAcquire;
					return (fault != null) ? (CompletionStage<AcquireResult>) fault.occur()
							: memory.acquire(AcquireCommand.of(command.owner(), command.ttl()));
				}

				@Override
				public CompletionStage<Boolean> renew(String owner, Duration ttl) {
					return memory.renew(owner, ttl);
				}

				@Override
				public CompletionStage<Boolean> release(String owner, @Nullable StoredResult result) {
					Fault fault = FaultyStore.this.onRelease;
					return (fault != null) ? (CompletionStage<Boolean>) fault.occur() : memory.release(owner, result);
				}

				@Override
				public void close() {
					FaultyStore.this.notified.remove(this);
					if (FaultyStore.this.onClose != null) {
						FaultyStore.this.onClose.occur();
					}
				}

			};
		}

	}

}
