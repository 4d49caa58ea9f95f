package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two instances that wait for a lock in a store without notifications.
 */
class PolledStoreTests {

	private static final LockKey KEY = new LockKey("polled", "taro");

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));

	private static final LockOptions WAITING = OPTIONS.withWaitTime(Duration.ofSeconds(20));

	private final VirtualRuntime runtime = new VirtualRuntime();

	private final ObservedStore store = new ObservedStore(this.runtime::nanoTime);

	private final DefaultLockRegistry busy = this.runtime.registry(this.store);

	private final DefaultLockRegistry other = this.runtime.registry(this.store);

	private int served;

	@AfterEach
	void close() {
		this.busy.close();
		this.other.close();
	}

	@Test
	@DisplayName("An instance with permanent waiters for a lock repeatedly lets another instance acquire it")
	void yieldsToOtherInstance() {
		for (int i = 0; i < 4; i++) {
			work();
		}
		for (int i = 0; i < 5; i++) {
			this.served = 0;
			CompletableFuture<Optional<Lease>> other = this.other.tryAcquireAsync(KEY, WAITING).toCompletableFuture();
			this.runtime.pass(Duration.ofSeconds(1));
			assertThat(other).isCompletedWithValueMatching(Optional::isPresent);
			other.join().orElseThrow().close();
			this.runtime.pass(Duration.ofSeconds(1));
			assertThat(this.served).isGreaterThan(50);
		}
	}

	/** Repeatedly acquires the lock for a millisecond. */
	private void work() {
		this.busy.acquireAsync(KEY, WAITING).thenAccept((lease) -> this.runtime.schedule(() -> {
			this.served++;
			lease.releaseAsync();
			work();
		}, Duration.ofMillis(1).toNanos()));
	}

	@Test
	@DisplayName("While an instance yields a lock to other instances, a try-lock caller is rejected if there are local waiters, and gets the lock otherwise")
	void tryLockWhileYielding() {
		LockOptions otherTtl = LockOptions.of(Duration.ofMinutes(1)).withWaitTime(WAITING.waitTime());
		for (boolean stays : new boolean[] { true, false }) {
			Lease lease = this.busy.acquire(KEY, OPTIONS);
			CompletableFuture<Optional<Lease>> waiting = this.busy.tryAcquireAsync(KEY, otherTtl).toCompletableFuture();
			this.store.withholding = true;
			lease.releaseAsync();
			CompletableFuture<Optional<Lease>> tryLock = this.busy.tryAcquireAsync(KEY, OPTIONS).toCompletableFuture();
			assertThat(tryLock).isNotDone();
			if (!stays) {
				waiting.cancel(false);
			}
			this.store.deliver();
			assertThat(this.runtime.join(tryLock)).matches((granted) -> granted.isEmpty() == stays);
			this.runtime.pass(Duration.ofMillis(100));
			this.runtime.join(stays ? waiting : tryLock).orElseThrow().close();
		}
	}

	@Test
	@DisplayName("A waiter polls at growing intervals, and not after the end of its wait")
	void pollsLessOften() {
		Lease held = this.busy.acquire(KEY, OPTIONS);
		CompletableFuture<Optional<Lease>> waiting = this.other
			.tryAcquireAsync(KEY, OPTIONS.withWaitTime(Duration.ofSeconds(4)))
			.toCompletableFuture();
		List<Integer> questions = new ArrayList<>();
		for (int i = 0; i < 40; i++) {
			this.store.acquires.set(0);
			this.runtime.pass(Duration.ofMillis(100));
			questions.add(this.store.acquires.get());
		}
		assertThat(waiting).isCompletedWithValue(Optional.empty());
		assertThat(questions.get(0)).as("in the first 100 ms").isBetween(3, 10);
		assertThat(questions.subList(2, 39)).as("later").allSatisfy((count) -> assertThat(count).isBetween(1, 2));
		this.store.acquires.set(0);
		this.runtime.pass(Duration.ofSeconds(1));
		assertThat(this.store.acquires).hasValue(0);
		held.close();
		assertThat(this.other.tryAcquire(KEY, OPTIONS)).isPresent();
	}

}
