package io.github.lockstarter.autoconfigure;

import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
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
 * The registry, and its part in the start and the end of the application. A test may put
 * a mock in its place, of any {@link LockRegistry}, after the conditions have been
 * evaluated; then what needs this registry does nothing.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnMissingBean(LockRegistry.class)
class LockRegistryConfiguration {

	static final String REGISTRY = "exclusiveRequestLockRegistry";

	/** Returns whether a test has put another registry in the place of this one. */
	static boolean isReplaced(BeanFactory beans) {
		return beans.containsBean(REGISTRY) && !beans.isTypeMatch(REGISTRY, StoreLockRegistry.class);
	}

	@Bean(REGISTRY)
	StoreLockRegistry exclusiveRequestLockRegistry(LockStore store, LockProperties properties,
			ApplicationEventPublisher events, LockCounts counts, ObjectProvider<ObservationRegistry> observations) {
		return new StoreLockRegistry(store, properties::options, properties.maxWaiters(), events::publishEvent, counts,
				observations.getIfUnique(() -> ObservationRegistry.NOOP));
	}

	@Bean
	@ConditionalOnMissingBean
	@Nullable TokenLocks exclusiveRequestTokenLocks(ObjectProvider<StoreLockRegistry> registry) {
		StoreLockRegistry own = registry.getIfAvailable();
		return (own != null) ? new StoreTokenLocks(own) : null;
	}

	@Bean
	LocalLocks exclusiveRequestLocalLocks(ObjectProvider<StoreLockRegistry> registry) {
		return new LocalLocks(registry.getIfAvailable());
	}

	@Bean
	static RequestNames exclusiveRequestRequestNames() {
		return new RequestNames();
	}

	@Bean
	LockLifecycle exclusiveRequestDrainLifecycle(ObjectProvider<StoreLockRegistry> registry) {
		return LockLifecycle.beforeAllElse(registry.getIfAvailable());
	}

	@Bean
	LockLifecycle exclusiveRequestReleaseLifecycle(ObjectProvider<StoreLockRegistry> registry) {
		return LockLifecycle.afterAllWork(registry.getIfAvailable());
	}

}
