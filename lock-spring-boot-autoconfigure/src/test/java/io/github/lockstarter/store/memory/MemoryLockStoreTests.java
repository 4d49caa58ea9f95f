package io.github.lockstarter.store.memory;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.test.util.ReflectionTestUtils;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.LockStoreContract;

import static org.assertj.core.api.Assertions.assertThat;

class MemoryLockStoreTests extends LockStoreContract {

	private static final Duration TTL = Duration.ofSeconds(10);

	private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5);

	private final MemoryLockStore store = new MemoryLockStore();

	@Override
	protected LockStore store() {
		return this.store;
	}

	@Override
	protected long locksInStore() {
		return size(this.store);
	}

	@Test
	@DisplayName("A lease ends on the clock it was given, even when that overflows")
	void usesClock() {
		MemoryLockStore store = new MemoryLockStore(this.clock::get);
		LockKey key = new LockKey("clock", "");
		assertThat(store.acquire(key, "a", TTL)).isCompletedWithValueMatching(Granted.class::isInstance);
		this.clock.addAndGet(TTL.toNanos() - 1);
		assertThat(store.acquire(key, "b", TTL))
			.isCompletedWithValueMatching((result) -> busy(result).remaining().equals(Duration.ofNanos(1)));
		this.clock.addAndGet(1);
		assertThat(store.release(key, "a")).isCompletedWithValue(false);
		assertThat(store.acquire(key, "b", TTL)).isCompletedWithValueMatching(Granted.class::isInstance);
	}

	@Test
	@DisplayName("Locks that nobody released do not pile up")
	void sweepsExpired() {
		MemoryLockStore store = new MemoryLockStore(this.clock::get);
		for (int i = 0; i < 100_000; i++) {
			this.clock.addAndGet(TTL.toNanos());
			store.acquire(new LockKey("sweep", Integer.toString(i)), "a", TTL);
		}
		assertThat(size(store)).isLessThan(2000);
	}

	private static long size(MemoryLockStore store) {
		return ((Map<?, ?>) ReflectionTestUtils.getField(store, "holdings")).size();
	}

}
