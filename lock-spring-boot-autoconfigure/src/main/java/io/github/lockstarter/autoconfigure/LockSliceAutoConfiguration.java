package io.github.lockstarter.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Lazy;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.store.LockStore;

/**
 * Auto-configuration for the test slices {@code @WebMvcTest} and {@code @WebFluxTest}
 * only. They have no connection to a store, so they start without one. Without
 * {@code lock.store=memory}, a call that needs a lock fails with an exception that names
 * the property to set. A store, a registry or a Redis connection of the application takes
 * precedence.
 */
@AutoConfiguration(before = LockAutoConfiguration.class,
		afterName = "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration")
@Conditional(LockSliceAutoConfiguration.NotInMemory.class)
@ConditionalOnMissingBean(value = { LockStore.class, LockRegistry.class },
		type = "org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails")
public final class LockSliceAutoConfiguration {

	static final String REGISTRY = "exclusiveRequestNoLockRegistry";

	@Bean(REGISTRY)
	@Lazy
	@SuppressWarnings("DoNotCallSuggester")
	LockRegistry exclusiveRequestNoLockRegistry(LockProperties properties) {
		throw new LockConfigurationException(
				"A lock is needed, but lock.store is %s, to which a test slice has no connection: add @AutoConfigureLocks of lock-spring-boot-test, or use @WebMvcTest(properties = \"lock.store=memory\"), or set lock.store=memory in src/test/resources/config/application.properties."
					.formatted(properties.store()),
				"Add @AutoConfigureLocks to the test, or set lock.store=memory for it, and lock.names.<name>.store=memory for each lock with a store of its own.");
	}

	static class NotInMemory extends NoneNestedConditions {

		NotInMemory() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@ConditionalOnLockStore(value = LockProperties.Store.MEMORY, use = ConditionalOnLockStore.StoreUse.DEFAULT)
		static class InMemory {

		}

	}

}
