package io.github.lockstarter.autoconfigure;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.AotDetector;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.LockStores;

/**
 * Configures the stores of the registry: the default one, and those that
 * {@code lock.names.*.store} chooses. Comes after the configurations of the stores.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnMissingBean(LockRegistry.class)
class LockStoresConfiguration {

	@Bean
	@Lazy
	@ConditionalOnMissingBean
	@ConditionalOnSingleCandidate(LockStore.class)
	LockStores exclusiveRequestLockStores(LockStore defaultStore, LockProperties properties, BeanFactory beans) {
		LockProperties.Store builtIn = beans.containsBean(properties.store().defaultBean()) ? properties.store() : null;
		Map<String, LockStore> others = new LinkedHashMap<>();
		properties.namedStores().forEach((store, property) -> {
			if (store != builtIn) {
				others.put(store.toString(), named(store, property, beans));
			}
		});
		Function<String, LockProperties.@Nullable Store> chosenStores = properties.chosenStores();
		return new LockStores((builtIn != null) ? builtIn.toString() : LockStores.OWN, defaultStore, others,
				(lockName) -> {
					LockProperties.Store chosen = chosenStores.apply(lockName);
					return (chosen != null) ? chosen.toString() : null;
				});
	}

	private static LockStore named(LockProperties.Store store, String property, BeanFactory beans) {
		if (beans.containsBean(store.namedBean())) {
			return beans.getBean(store.namedBean(), LockStore.class);
		}
		if (AotDetector.useGeneratedArtifacts()) {
			throw new LockConfigurationException(
					"%s is %s, but no lock was in that store when the application was processed ahead of time."
						.formatted(property, store),
					"Set %s for the build as well, or start without -Dspring.aot.enabled=true.".formatted(property));
		}
		throw new LockConfigurationException(
				"%s is %s, but that store is not on the class path.".formatted(property, store),
				"Add the dependency %s, or choose another store for the lock.".formatted(store.dependency()));
	}

}
