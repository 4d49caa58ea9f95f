package io.github.lockstarter.autoconfigure;

import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.TokenLocks;
import io.github.lockstarter.actuate.RequestNames;
import io.github.lockstarter.count.LockEventCounter;
import io.github.lockstarter.event.LockEvents;
import io.github.lockstarter.operation.ConflictStatuses;
import io.github.lockstarter.registry.LockInspector;
import io.github.lockstarter.registry.WaitingThreadLimit;
import io.github.lockstarter.registry.DefaultLockRegistry;
import io.github.lockstarter.registry.DefaultTokenLocks;
import io.github.lockstarter.registry.RegistrySettings;
import io.github.lockstarter.registry.observe.LockObservationConvention;
import io.github.lockstarter.registry.runtime.EngineRuntime;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.LockStores;

/**
 * Configures the registry and its lifecycle. A test may replace it with a mock of
 * {@link LockRegistry} after the conditions have been evaluated. Beans that need this
 * registry then do nothing.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnMissingBean(LockRegistry.class)
class LockRegistryConfiguration {

	static final String REGISTRY = "exclusiveRequestLockRegistry";

	/** Returns whether a test has replaced the registry. */
	static boolean isReplaced(BeanFactory beans) {
		return beans.containsBean(REGISTRY) && !beans.isTypeMatch(REGISTRY, DefaultLockRegistry.class);
	}

	@Bean(REGISTRY)
	DefaultLockRegistry exclusiveRequestLockRegistry(ObjectProvider<LockStores> stores, ObjectProvider<LockStore> store,
			LockProperties properties, ConflictStatuses statuses, LockEvents events, EngineRuntime runtime,
			LockEventCounter counts, ObjectProvider<ObservationRegistry> observations,
			ObjectProvider<LockObservationConvention> convention, ObjectProvider<WaitingThreadLimit> waitingThreads) {
		// Without a single candidate, the failure names the stores.
		DefaultLockRegistry registry = new DefaultLockRegistry(
				stores.getIfAvailable(() -> LockStores.of(store.getObject())),
				RegistrySettings.of(properties::options)
					.withMaxWaiters(properties.maxWaiters())
					.withConflictFactory(statuses::create)
					.withLosses(events::lost)
					.withCounts(counts)
					.withObservations(observations.getIfUnique(() -> ObservationRegistry.NOOP))
					.withRuntime(runtime));
		waitingThreads.ifAvailable(registry::limit);
		registry.setObservationConvention(convention.getIfAvailable());
		return registry;
	}

	@Bean
	@ConditionalOnMissingBean
	@Nullable TokenLocks exclusiveRequestTokenLocks(ObjectProvider<DefaultLockRegistry> registry) {
		DefaultLockRegistry own = registry.getIfAvailable();
		return (own != null) ? new DefaultTokenLocks(own) : null;
	}

	@Bean
	LockInspector exclusiveRequestLockInspector(ObjectProvider<DefaultLockRegistry> registry) {
		return new LockInspector(registry.getIfAvailable());
	}

	@Bean
	static RequestNames exclusiveRequestRequestNames() {
		return new RequestNames();
	}

	@Bean
	LockLifecycle exclusiveRequestDrainLifecycle(ObjectProvider<DefaultLockRegistry> registry) {
		return LockLifecycle.beforeAllElse(registry.getIfAvailable());
	}

	@Bean
	LockLifecycle exclusiveRequestReleaseLifecycle(ObjectProvider<DefaultLockRegistry> registry) {
		return LockLifecycle.afterAllWork(registry.getIfAvailable());
	}

}
