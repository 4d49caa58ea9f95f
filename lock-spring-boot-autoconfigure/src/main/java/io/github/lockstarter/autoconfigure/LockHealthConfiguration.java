package io.github.lockstarter.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.github.lockstarter.actuate.LockStoreHealthIndicator;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.LockStores;

/**
 * Configures the health indicator of the lock store, {@code lockStore}, or of several. If
 * a test has replaced the registry, the store is not created.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(ConditionalOnEnabledHealthIndicator.class)
@ConditionalOnEnabledHealthIndicator("lock-store")
@ConditionalOnBean(LockStore.class)
class LockHealthConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = "lockStoreHealthIndicator")
	@Nullable HealthContributor lockStoreHealthIndicator(ObjectProvider<LockStores> stores, ObjectProvider<LockStore> store,
			BeanFactory beans) {
		return LockRegistryConfiguration.isReplaced(beans) ? null
				: contributor(stores.getIfAvailable(() -> LockStores.of(store.getObject())));
	}

	/** With several stores, each is a component. */
	private static HealthContributor contributor(LockStores stores) {
		return stores.areSeveral() ? CompositeHealthContributor.fromMap(stores.byName(), LockStoreHealthIndicator::new)
				: new LockStoreHealthIndicator(stores.byName().values().iterator().next());
	}

}
