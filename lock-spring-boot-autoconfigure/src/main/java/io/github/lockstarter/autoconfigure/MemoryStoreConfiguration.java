package io.github.lockstarter.autoconfigure;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.autoconfigure.ConditionalOnLockStore.StoreUse;
import io.github.lockstarter.count.LockEventCounter;
import io.github.lockstarter.store.DroppedResults;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.LockStores;
import io.github.lockstarter.store.memory.MemoryLockStore;

/**
 * Configures the store in memory, if a property names it.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnLockStore(LockProperties.Store.MEMORY)
@EnableConfigurationProperties(MemoryProperties.class)
class MemoryStoreConfiguration {

	private final MemoryProperties properties;

	MemoryStoreConfiguration(MemoryProperties properties) {
		this.properties = properties;
	}

	@Bean
	@Lazy
	@ConditionalOnLockStore(value = LockProperties.Store.MEMORY, use = StoreUse.DEFAULT)
	@ConditionalOnMissingBean({ LockStore.class, LockRegistry.class })
	LockStore exclusiveRequestMemoryLockStore(LockProperties locks, ObjectProvider<LockEventCounter> counts) {
		locks.require(LockProperties.Store.MEMORY);
		return create(counts);
	}

	@Bean(autowireCandidate = false)
	@Lazy
	@ConditionalOnLockStore(value = LockProperties.Store.MEMORY, use = StoreUse.NAMED)
	@ConditionalOnMissingBean(value = { LockStores.class, LockRegistry.class },
			name = "exclusiveRequestMemoryLockStore")
	LockStore exclusiveRequestNamedMemoryLockStore(ObjectProvider<LockEventCounter> counts) {
		return create(counts);
	}

	private LockStore create(ObjectProvider<LockEventCounter> counts) {
		DroppedResults dropped = new DroppedResults(
				(lockName) -> counts.getObject().add(lockName, Event.RESULT_DROPPED));
		return new MemoryLockStore(System::nanoTime, this.properties.limits(), (lockName) -> dropped.add(lockName,
				"the memory store has reached lock.replay.max-results or lock.replay.max-memory"));
	}

}
