package io.github.lockstarter.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.github.lockstarter.actuate.LockStoreHealthIndicator;
import io.github.lockstarter.store.LockStore;

/**
 * Configures the health indicator of the lock store, {@code lockStore}. If a test has
 * replaced the registry, the store is not created.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(ConditionalOnEnabledHealthIndicator.class)
@ConditionalOnEnabledHealthIndicator("lock-store")
@ConditionalOnBean(LockStore.class)
class LockHealthConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = "lockStoreHealthIndicator")
	@Nullable LockStoreHealthIndicator lockStoreHealthIndicator(ObjectProvider<LockStore> store, BeanFactory beans) {
		return LockRegistryConfiguration.isReplaced(beans) ? null : new LockStoreHealthIndicator(store.getObject());
	}

}
