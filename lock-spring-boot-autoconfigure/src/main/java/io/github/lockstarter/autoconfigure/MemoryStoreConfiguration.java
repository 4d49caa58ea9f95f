package io.github.lockstarter.autoconfigure;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.store.DroppedResults;
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
	LockStore exclusiveRequestMemoryLockStore(LockProperties properties, ObjectProvider<LockCounts> counts) {
		properties.require(LockProperties.Store.MEMORY);
		DroppedResults dropped = new DroppedResults(counts::getObject);
		return new MemoryLockStore(System::nanoTime, properties.replay().limits(), (lockName) -> dropped.add(lockName,
				"the memory store has reached lock.replay.max-results or lock.replay.max-memory"));
	}

}
