package io.github.lockstarter.testing;

import java.time.Duration;

import io.micrometer.observation.ObservationRegistry;

import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.registry.DefaultLockRegistry;
import io.github.lockstarter.store.LockStore;

/**
 * Registries with the defaults of the auto-configuration.
 */
public final class TestLocks {

	private TestLocks() {
	}

	/** Returns a registry on the store. */
	public static DefaultLockRegistry on(LockStore store) {
		return new DefaultLockRegistry(store, (name) -> LockOptions.of(Duration.ofSeconds(10)), 64, (loss) -> {
		}, new LockCounts(), ObservationRegistry.NOOP);
	}

}
