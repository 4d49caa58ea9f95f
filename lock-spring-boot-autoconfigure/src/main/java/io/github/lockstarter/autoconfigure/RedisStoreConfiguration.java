package io.github.lockstarter.autoconfigure;

import io.lettuce.core.RedisClient;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.redis.RedisLockStore;

/**
 * Locks in Redis, unless {@code lock.store} names another store.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({ LettuceConnectionFactory.class, RedisClient.class })
@ConditionalOnProperty(name = "lock.store", havingValue = "redis", matchIfMissing = true)
class RedisStoreConfiguration {

	private static final Log logger = LogFactory.getLog(RedisStoreConfiguration.class);

	@Bean
	@ConditionalOnMissingBean({ LockStore.class, LockRegistry.class })
	LockStore redisLockStore(ObjectProvider<RedisConnectionFactory> factories, LockProperties properties) {
		properties.require(LockProperties.Store.REDIS);
		RedisConnectionFactory factory = factories.getIfAvailable();
		if (factory == null) {
			throw new LockConfigurationException("lock.store is redis, but there is no connection to Redis.",
					"Define a LettuceConnectionFactory, let Spring Boot do so, or choose another lock.store.");
		}
		if (!(factory instanceof LettuceConnectionFactory lettuce)) {
			throw new LockConfigurationException(
					"lock.store is redis, which needs Lettuce, but the connection factory is a %s."
						.formatted(factory.getClass().getName()),
					"Set spring.data.redis.client-type=lettuce, or mark a LettuceConnectionFactory as @Primary.");
		}
		if (!lettuce.getShareNativeConnection()) {
			throw new LockConfigurationException(
					"lock.store is redis, which needs a shared connection, but the LettuceConnectionFactory has"
							+ " shareNativeConnection=false.",
					"Leave shareNativeConnection at its default, true.");
		}
		if (lettuce.isClusterAware() && properties.redis().replicasToAck() > 0) {
			throw new LockConfigurationException(
					"lock.redis.replicas-to-ack is set, which cannot be used with a Redis Cluster.",
					"Remove lock.redis.replicas-to-ack.");
		}
		if (lettuce.getSentinelConfiguration() != null && lettuce.getClientConfiguration().getReadFrom().isEmpty()) {
			logger
				.warn("The LettuceConnectionFactory does not follow its sentinels when the master is frozen or cut off:"
						+ " set readFrom(ReadFrom.UPSTREAM) in its client configuration.");
		}
		return new RedisLockStore(lettuce, properties.redis().keyPrefix(), properties.redis().commandTimeout(),
				properties.redis().replicasToAck());
	}

}
