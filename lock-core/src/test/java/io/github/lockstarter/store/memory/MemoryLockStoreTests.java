package io.github.lockstarter.store.memory;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.test.util.ReflectionTestUtils;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.TokenlessResults;

import static org.assertj.core.api.Assertions.assertThat;

class MemoryLockStoreTests {

	private static final Duration TTL = Duration.ofSeconds(10);

	private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5);

	private final MemoryLockStore store = new MemoryLockStore();

	@Test
	@DisplayName("A lease ends by the given clock, even if the clock overflows")
	void usesClock() {
		StoredLock lock = new MemoryLockStore(this.clock::get).lock(new LockKey("clock", ""));
		assertThat(lock.acquire(AcquireCommand.of("a", TTL))).isCompletedWithValueMatching(Granted.class::isInstance);
		this.clock.addAndGet(TTL.toNanos() - 1);
		assertThat(lock.acquire(AcquireCommand.of("b", TTL))).isCompletedWithValue(new Held(Duration.ofNanos(1), 1));
		this.clock.addAndGet(1);
		assertThat(lock.release("a", null)).isCompletedWithValue(false);
		assertThat(lock.acquire(AcquireCommand.of("b", TTL))).isCompletedWithValueMatching(Granted.class::isInstance);
	}

	@Test
	@DisplayName("Locks that were not released do not accumulate")
	void sweepsExpired() {
		MemoryLockStore store = new MemoryLockStore(this.clock::get);
		for (int i = 0; i < 100_000; i++) {
			this.clock.addAndGet(TTL.toNanos());
			store.lock(new LockKey("sweep", Integer.toString(i))).acquire(AcquireCommand.of("a", TTL));
		}
		assertThat(size(store, "leases")).isLessThan(2000);
	}

	@Test
	@DisplayName("Expired results do not accumulate")
	void sweepsResults() {
		MemoryLockStore store = new MemoryLockStore(this.clock::get);
		ResultKey result = new ResultKey("result", Duration.ofMillis(1), true);
		for (int i = 0; i < 10_000; i++) {
			this.clock.addAndGet(result.keep().toNanos());
			StoredLock lock = store.lock(new LockKey("sweep", Integer.toString(i)));
			lock.acquire(AcquireCommand.of("a", TTL));
			lock.release("a", TokenlessResults.stored(result, "result"));
		}
		assertThat(size(store, "results")).isLessThan(2000);
	}

	@Test
	@DisplayName("A cleared store has no locks and no results, and its fencing tokens keep growing")
	void clear() {
		StoredLock lock = this.store.lock(new LockKey("cleared", "1"));
		assertThat(lock.acquire(AcquireCommand.of("a", TTL))).isCompletedWithValue(new Granted(1));
		ResultKey result = new ResultKey("result", TTL, true);
		assertThat(lock.release("a", TokenlessResults.stored(result, "result"))).isCompletedWithValue(true);
		assertThat(lock.acquire(AcquireCommand.of("b", TTL))).isCompletedWithValue(new Granted(2));
		this.store.clear();
		assertThat(size(this.store, "leases") + size(this.store, "results")).isZero();
		assertThat(lock.release("b", null)).isCompletedWithValue(false);
		assertThat(lock.acquire(AcquireCommand.of("c", TTL))).isCompletedWithValue(new Granted(3));
	}

	private static long size(MemoryLockStore store, String map) {
		Object field = ReflectionTestUtils.getField(store, map);
		return (field instanceof BoundedResults results) ? results.count((each) -> true) : ((Map<?, ?>) field).size();
	}

}
