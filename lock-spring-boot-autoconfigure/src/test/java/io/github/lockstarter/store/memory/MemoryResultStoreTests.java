package io.github.lockstarter.store.memory;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.test.util.ReflectionTestUtils;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.ResultSlot;
import io.github.lockstarter.store.ResultStoreContract;
import io.github.lockstarter.testing.TestResults;

import static org.assertj.core.api.Assertions.assertThat;

class MemoryResultStoreTests extends ResultStoreContract {

	private final MemoryLockStore store = new MemoryLockStore();

	@Override
	protected LockStore store() {
		return this.store;
	}

	@Test
	@DisplayName("Results that nobody asks for any more do not pile up")
	void sweepsExpired() {
		AtomicLong clock = new AtomicLong();
		MemoryLockStore store = new MemoryLockStore(clock::get);
		ResultSlot slot = new ResultSlot("slot", Duration.ofMillis(1), true);
		for (int i = 0; i < 10_000; i++) {
			clock.addAndGet(slot.keep().toNanos());
			LockKey key = new LockKey("sweep", Integer.toString(i));
			store.acquire(key, "a", LONG);
			store.release(key, "a", TestResults.left(slot, "result"), false);
		}
		assertThat((Map<?, ?>) ReflectionTestUtils.getField(store, "results")).hasSizeLessThan(2000);
	}

}
