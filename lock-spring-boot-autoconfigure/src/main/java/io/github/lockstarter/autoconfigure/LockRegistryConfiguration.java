package io.github.lockstarter.autoconfigure;

import io.micrometer.observation.ObservationRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.TokenLocks;
import io.github.lockstarter.actuate.RequestNames;
import io.github.lockstarter.registry.LocalLocks;
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
			ApplicationEventPublisher events, LockCounts counts, ObjectProvider<ObservationRegistry> observations) {
		return new StoreLockRegistry(store, properties::options, properties.maxWaiters(), events::publishEvent, counts,
				observations.getIfUnique(() -> ObservationRegistry.NOOP));
	}

	@Bean
	@ConditionalOnMissingBean
	TokenLocks tokenLocks(StoreLockRegistry registry) {
		return new StoreTokenLocks(registry);
	}

	@Bean
	LocalLocks localLocks(StoreLockRegistry registry) {
		return new LocalLocks(registry);
	}

	@Bean
	static RequestNames lockRequestNames() {
		return new RequestNames();
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
