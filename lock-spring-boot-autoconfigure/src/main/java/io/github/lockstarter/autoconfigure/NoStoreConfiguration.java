package io.github.lockstarter.autoconfigure;

import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.store.LockStore;

/**
 * Fails startup if the configured store is not on the class path. Comes after the
 * configurations of the stores.
 */
@Configuration(proxyBeanMethods = false)
class NoStoreConfiguration {

	@Bean
	@Lazy
	@ConditionalOnMissingBean({ LockStore.class, LockRegistry.class })
	LockStore exclusiveRequestNoLockStore(LockProperties properties, ApplicationContext context) {
		String present = Stream.of(LockProperties.Store.values())
			.filter((store) -> store.isPresent(context.getClassLoader()))
			.map(LockProperties.Store::toString)
			.collect(Collectors.joining(", "));
		throw new LockConfigurationException(
				"lock.store is %s, but that store is not on the class path.".formatted(properties.store()),
				"Set lock.store to a store that is on the class path (%s), or add the dependency %s.".formatted(present,
						properties.store().dependency()));
	}

}
