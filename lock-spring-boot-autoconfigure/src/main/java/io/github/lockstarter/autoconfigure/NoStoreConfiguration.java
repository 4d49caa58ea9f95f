package io.github.lockstarter.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.store.LockStore;

/**
 * Fails the start-up if the configured store is not on the class path. Comes after the
 * configurations of the stores.
 */
@Configuration(proxyBeanMethods = false)
class NoStoreConfiguration {

	@Bean
	@Lazy
	@ConditionalOnMissingBean({ LockStore.class, LockRegistry.class })
	LockStore exclusiveRequestNoLockStore(LockProperties properties) {
		throw new LockConfigurationException(
				"lock.store is %s, but that store is not on the class path.".formatted(properties.store()),
				"Add the dependency %s, or choose another lock.store.".formatted(properties.store().driver()));
	}

}
