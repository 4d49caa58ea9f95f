package io.github.lockstarter.test;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;

import io.github.lockstarter.autoconfigure.LockAutoConfiguration;
import io.github.lockstarter.autoconfigure.LockSliceAutoConfiguration;

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

}
