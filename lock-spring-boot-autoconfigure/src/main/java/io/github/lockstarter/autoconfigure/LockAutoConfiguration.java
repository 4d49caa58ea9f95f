package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.registry.StoreLockRegistry;
import io.github.lockstarter.store.LockStore;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * Auto-configuration for locks: a {@link LockRegistry} on the {@link LockStore} that
 * {@code lock.store} names, the advice for
 * {@link io.github.lockstarter.annotation.ExclusiveRequest @ExclusiveRequest}, and the
 * HTTP answers. An application's own bean of each type takes precedence.
 */
@AutoConfiguration(afterName = "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration")
@EnableConfigurationProperties(LockProperties.class)
@Import({ LockStoreConfiguration.Redis.class, LockStoreConfiguration.Reconnect.class,
		LockStoreConfiguration.Memory.class, LockStoreConfiguration.None.class, ExclusiveRequestConfiguration.class,
		LockServletConfiguration.class })
public final class LockAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LockRegistry exclusiveRequestLockRegistry(LockStore store) {
		return new StoreLockRegistry(store);
	}

}
