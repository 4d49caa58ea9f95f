package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.testing.TestLocks;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How two servers wait for a lock in a store that tells nobody of a release.
 */
class PolledStoreTests {

	private static final LockKey KEY = new LockKey("polled", "taro");

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));

	private static final LockOptions WAITING = OPTIONS.withWaitTime(Duration.ofSeconds(20));

	private final ObservedStore store = new ObservedStore();

	private final DefaultLockRegistry busy = TestLocks.on(this.store);

	private final DefaultLockRegistry other = TestLocks.on(this.store);

	@AfterEach
	void close() {
		this.busy.close();
		this.other.close();
	}

	@Test
	@DisplayName("A server that always has somebody waiting for a lock lets another server have it, again and again")
	void letsOthersIn() {
		AtomicBoolean enough = new AtomicBoolean();
		AtomicInteger served = new AtomicInteger();
		CompletableFuture<?>[] threads = IntStream.range(0, 4).mapToObj((i) -> CompletableFuture.runAsync(() -> {
			while (!enough.get()) {
				Lease lease = this.busy.acquire(KEY, WAITING);
				// Some work: otherwise the lock would be free for half of the time.
				LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
				served.incrementAndGet();
				lease.close();
			}
		}, (task) -> new Thread(task).start())).toArray(CompletableFuture[]::new);
		try {
			for (int i = 0; i < 5; i++) {
				int before = served.get();
				Awaitility.await().until(() -> served.get() > before + 50);
				this.other.acquire(KEY, WAITING).close();
			}
		}
		finally {
			enough.set(true);
		}
		assertThat(CompletableFuture.allOf(threads)).succeedsWithin(WAITING.waitTime());
	}

	@Test
	@DisplayName("Where a server lets others have the lock that somebody here waits for, who does not wait is refused; where nobody waits any more he gets it")
	void looksOn() {
		LockOptions otherTtl = LockOptions.of(Duration.ofMinutes(1)).withWaitTime(WAITING.waitTime());
		for (boolean stays : new boolean[] { true, false }) {
			Lease lease = this.busy.acquire(KEY, OPTIONS);
			CompletableFuture<Optional<Lease>> waiting = this.busy.tryAcquireAsync(KEY, otherTtl).toCompletableFuture();
			this.store.silent = true;
			lease.releaseAsync();
			CompletableFuture<Optional<Lease>> lookingOn = this.busy.tryAcquireAsync(KEY, OPTIONS)
				.toCompletableFuture();
			assertThat(lookingOn).isNotDone();
			if (!stays) {
				waiting.cancel(false);
			}
			this.store.speak();
			assertThat(lookingOn).succeedsWithin(WAITING.waitTime()).matches((granted) -> granted.isEmpty() == stays);
			(stays ? waiting : lookingOn).join().orElseThrow().close();
		}
	}

	@Test
	@DisplayName("Who waits asks less and less often, and not beyond the own time")
	void asksLessOften() {
		Lease held = this.busy.acquire(KEY, OPTIONS);
		this.store.acquires.set(0);
		Optional<Lease> lease = this.other.tryAcquire(KEY, OPTIONS.withWaitTime(Duration.ofSeconds(4)));
		assertThat(lease).isEmpty();
		// Every 10 ms that would be 400, every 100 ms 40.
		assertThat(this.store.acquires.get()).isBetween(3, 120);
		held.close();
		this.other.acquire(KEY, OPTIONS).close();
	}

}
