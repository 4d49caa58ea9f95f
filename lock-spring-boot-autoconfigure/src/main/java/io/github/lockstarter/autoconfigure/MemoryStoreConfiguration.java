package io.github.lockstarter.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.memory.MemoryLockStore;

/**
 * Configures the store in memory, if {@code lock.store} names it.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnLockStore(LockProperties.Store.MEMORY)
class MemoryStoreConfiguration {

	@Bean
	@Lazy
	@ConditionalOnMissingBean({ LockStore.class, LockRegistry.class })
	LockStore exclusiveRequestMemoryLockStore(LockProperties properties) {
		properties.require(LockProperties.Store.MEMORY);
		return new MemoryLockStore();
	}

}
