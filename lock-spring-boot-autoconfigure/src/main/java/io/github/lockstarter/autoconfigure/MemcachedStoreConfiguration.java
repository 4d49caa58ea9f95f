package io.github.lockstarter.autoconfigure;

import com.spotify.folsom.AsciiMemcacheClient;

import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.autoconfigure.ConditionalOnLockStore.StoreUse;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.LockStores;
import io.github.lockstarter.store.memcached.MemcachedLockStore;

/**
 * Configures the store in memcached.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({ MemcachedLockStore.class, AsciiMemcacheClient.class })
@ConditionalOnLockStore(LockProperties.Store.MEMCACHED)
@EnableConfigurationProperties(MemcachedProperties.class)
class MemcachedStoreConfiguration {

	private final MemcachedProperties properties;

	MemcachedStoreConfiguration(MemcachedProperties properties) {
		this.properties = properties;
	}

	@Bean
	@Lazy
	@ConditionalOnLockStore(value = LockProperties.Store.MEMCACHED, use = StoreUse.DEFAULT)
	@ConditionalOnMissingBean({ LockStore.class, LockRegistry.class })
	LockStore exclusiveRequestMemcachedLockStore(LockProperties locks) {
		locks.require(LockProperties.Store.MEMCACHED);
		return create(locks, true);
	}

	@Bean(autowireCandidate = false)
	@Lazy
	@ConditionalOnLockStore(value = LockProperties.Store.MEMCACHED, use = StoreUse.NAMED)
	@ConditionalOnMissingBean(value = { LockStores.class, LockRegistry.class },
			name = "exclusiveRequestMemcachedLockStore")
	LockStore exclusiveRequestNamedMemcachedLockStore(LockProperties locks) {
		return create(locks, false);
	}

	private LockStore create(LockProperties locks, boolean isDefault) {
		locks.requireTtlOfAtMost(MemcachedLockStore.LONGEST_TTL, "Memcached keeps a lock for less than 30 days",
				LockProperties.Store.MEMCACHED, isDefault);
		return new MemcachedLockStore(this.properties.servers(), this.properties.keyPrefix(),
				this.properties.commandTimeout());
	}

}
