package io.github.lockstarter.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.memory.MemoryLockStore;

/**
 * Locks in memory, if {@code lock.store} asks for it.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = "lock.store", havingValue = "memory")
class MemoryStoreConfiguration {

	@Bean
	@ConditionalOnMissingBean({ LockStore.class, LockRegistry.class })
	LockStore memoryLockStore(LockProperties properties) {
		properties.require(LockProperties.Store.MEMORY);
		return new MemoryLockStore();
	}

}
