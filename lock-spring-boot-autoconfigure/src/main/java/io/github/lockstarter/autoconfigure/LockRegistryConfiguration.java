package io.github.lockstarter.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.TokenLocks;
import io.github.lockstarter.registry.StoreLockRegistry;
import io.github.lockstarter.registry.StoreTokenLocks;
import io.github.lockstarter.store.LockStore;

/**
 * The registry, and its part in the start and the end of the application.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnMissingBean(LockRegistry.class)
class LockRegistryConfiguration {

	@Bean
	StoreLockRegistry exclusiveRequestLockRegistry(LockStore store, LockProperties properties,
			ApplicationEventPublisher events, LockCounts counts) {
		return new StoreLockRegistry(store, properties::options, properties.maxWaiters(), events::publishEvent, counts);
	}

	@Bean
	@ConditionalOnMissingBean
	TokenLocks tokenLocks(StoreLockRegistry registry) {
		return new StoreTokenLocks(registry);
	}

	@Bean
	LockLifecycle lockDrainLifecycle(StoreLockRegistry registry) {
		return LockLifecycle.beforeAllElse(registry);
	}

	@Bean
	LockLifecycle lockReleaseLifecycle(StoreLockRegistry registry) {
		return LockLifecycle.afterAllWork(registry);
	}

}
