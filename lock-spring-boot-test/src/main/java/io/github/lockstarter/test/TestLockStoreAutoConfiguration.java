package io.github.lockstarter.test;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;

import io.github.lockstarter.autoconfigure.LockAutoConfiguration;
import io.github.lockstarter.autoconfigure.LockSliceAutoConfiguration;
import io.github.lockstarter.store.LockStores;

/**
 * Auto-configuration for {@link AutoConfigureLocks @AutoConfigureLocks}: the store, which
 * replaces all other stores.
 */
@AutoConfiguration(before = { LockAutoConfiguration.class, LockSliceAutoConfiguration.class })
public final class TestLockStoreAutoConfiguration {

	@Bean
	@Primary
	TestLockStore testLockStore() {
		return new TestLockStore();
	}

	/** All locks are in the one store, also those whose names choose another one. */
	@Bean
	@Primary
	LockStores testLockStores(TestLockStore store) {
		return LockStores.of(store);
	}

}
