package io.github.lockstarter.autoconfigure;

import com.spotify.folsom.AsciiMemcacheClient;

import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.memcached.MemcachedLockStore;

/**
 * Locks in memcached.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(AsciiMemcacheClient.class)
@ConditionalOnProperty(name = "lock.store", havingValue = "memcached")
class MemcachedStoreConfiguration {

	@Bean
	@ConditionalOnMissingBean({ LockStore.class, LockRegistry.class })
	LockStore memcachedLockStore(LockProperties properties) {
		properties.require(LockProperties.Store.MEMCACHED);
		properties.requireTtlOfAtMost(MemcachedLockStore.LONGEST_TTL, "Memcached keeps a lock for less than 30 days");
		MemcachedProperties memcached = properties.memcached();
		return new MemcachedLockStore(memcached.servers(), memcached.keyPrefix(), memcached.commandTimeout());
	}

}
