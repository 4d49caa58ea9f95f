package io.github.lockstarter.autoconfigure;

import com.spotify.folsom.AsciiMemcacheClient;

import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.autoconfigure.ConditionalOnLockStore.Use;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.LockStores;
import io.github.lockstarter.store.memcached.MemcachedLockStore;

/**
 * Configures the store in memcached.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({ MemcachedLockStore.class, AsciiMemcacheClient.class })
@ConditionalOnLockStore(LockProperties.Store.MEMCACHED)
class MemcachedStoreConfiguration {

	@Bean
	@Lazy
	@ConditionalOnLockStore(value = LockProperties.Store.MEMCACHED, use = Use.DEFAULT)
	@ConditionalOnMissingBean({ LockStore.class, LockRegistry.class })
	LockStore exclusiveRequestMemcachedLockStore(LockProperties properties) {
		properties.require(LockProperties.Store.MEMCACHED);
		return create(properties, true);
	}

	@Bean(autowireCandidate = false)
	@Lazy
	@ConditionalOnLockStore(value = LockProperties.Store.MEMCACHED, use = Use.NAMED)
	@ConditionalOnMissingBean(value = { LockStores.class, LockRegistry.class },
			name = "exclusiveRequestMemcachedLockStore")
	LockStore exclusiveRequestNamedMemcachedLockStore(LockProperties properties) {
		return create(properties, false);
	}

	private static LockStore create(LockProperties properties, boolean isDefault) {
		properties.requireTtlOfAtMost(MemcachedLockStore.LONGEST_TTL, "Memcached keeps a lock for less than 30 days",
				LockProperties.Store.MEMCACHED, isDefault);
		MemcachedProperties memcached = properties.memcached();
		return new MemcachedLockStore(memcached.servers(), memcached.keyPrefix(), memcached.commandTimeout());
	}

}
