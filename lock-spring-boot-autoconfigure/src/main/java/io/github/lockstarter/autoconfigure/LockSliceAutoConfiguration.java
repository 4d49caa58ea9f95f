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
 * Auto-configuration for slices of an application, {@code @WebMvcTest} and
 * {@code @WebFluxTest}, and for nothing else. They have no connection to a store, so
 * without {@code lock.store=memory} they start all the same, and who needs a lock there
 * is told what to set. An application's own store, registry or connection to Redis takes
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
				"A lock is needed, but lock.store is %s, to which a slice has no connection: add @AutoConfigureLocks of lock-spring-boot-test, or write @WebMvcTest(properties = \"lock.store=memory\"), or put lock.store=memory into src/test/resources/config/application.properties."
					.formatted(properties.store()),
				"Add @AutoConfigureLocks to the test, or set lock.store=memory for it.");
	}

	static class NotInMemory extends NoneNestedConditions {

		NotInMemory() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@ConditionalOnLockStore(LockProperties.Store.MEMORY)
		static class InMemory {

		}

	}

}
