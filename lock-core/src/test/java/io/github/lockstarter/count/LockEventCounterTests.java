package io.github.lockstarter.count;

import java.time.Duration;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.registry.DefaultLockRegistry;
import io.github.lockstarter.registry.RegistrySettings;
import io.github.lockstarter.store.memory.MemoryLockStore;

import static org.assertj.core.api.Assertions.assertThat;

class LockEventCounterTests {

	@Test
	@DisplayName("Contention is counted by lock name, not by key, and each caller is counted once")
	void contention() throws Exception {
		LockEventCounter counts = new LockEventCounter();
		LockOptions options = LockOptions.of(Duration.ofSeconds(10));
		try (DefaultLockRegistry locks = new DefaultLockRegistry(new MemoryLockStore(),
				RegistrySettings.of(options).withCounts(counts))) {
			Lease first = locks.acquire("team:1");
			Lease second = locks.acquire("team:2");
			assertThat(locks.tryAcquire("team:1", Duration.ZERO)).isEmpty();
			assertThat(locks.tryAcquire("team:2", Duration.ofMillis(1))).isEmpty();
			var waiting = locks.tryAcquireAsync("team:2", Duration.ofSeconds(10)).toCompletableFuture();
			first.close();
			second.close();
			waiting.get().orElseThrow().close();
			assertThat(counts.get("team", Event.CONTENDED)).isEqualTo(3);
			assertThat(counts.get("team", Event.SHARED)).isZero();
			assertThat(counts.get("other", Event.CONTENDED)).isZero();
			assertThat(counts.lockNames()).containsExactly("team");
		}
	}

}
