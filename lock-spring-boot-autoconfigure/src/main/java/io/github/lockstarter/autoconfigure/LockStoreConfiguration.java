package io.github.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.RedisClient;
import io.lettuce.core.resource.Delay;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.data.redis.autoconfigure.ClientResourcesBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.memory.MemoryLockStore;
import io.github.lockstarter.store.redis.RedisLockStore;

/**
 * The store that {@code lock.store} names.
 */
final class LockStoreConfiguration {

	private LockStoreConfiguration() {
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ LettuceConnectionFactory.class, RedisClient.class })
	@ConditionalOnProperty(name = "lock.store", havingValue = "redis", matchIfMissing = true)
	static class Redis {

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
			return new RedisLockStore(lettuce, properties.redis().keyPrefix(), properties.redis().commandTimeout(),
					properties.redis().replicasToAck());
		}

	}

	/**
	 * Lets Lettuce reconnect soon. By default its pause grows to 30 s, in which requests
	 * would still be answered with 503 although Redis is back.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ ClientResourcesBuilderCustomizer.class, RedisClient.class })
	@ConditionalOnProperty(name = "lock.store", havingValue = "redis", matchIfMissing = true)
	static class Reconnect {

		private static final Delay DELAY = Delay.equalJitter(Duration.ofMillis(10), Duration.ofMillis(250), 10,
				TimeUnit.MILLISECONDS);

		@Bean
		@Order(0)
		static ClientResourcesBuilderCustomizer lockReconnectDelayCustomizer() {
			return (resources) -> resources.reconnectDelay(DELAY);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnProperty(name = "lock.store", havingValue = "memory")
	static class Memory {

		@Bean
		@ConditionalOnMissingBean({ LockStore.class, LockRegistry.class })
		LockStore memoryLockStore(LockProperties properties) {
			properties.require(LockProperties.Store.MEMORY);
			return new MemoryLockStore();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class None {

		@Bean
		@ConditionalOnMissingBean({ LockStore.class, LockRegistry.class })
		LockStore noLockStore(LockProperties properties) {
			throw new LockConfigurationException(
					"lock.store is %s, but its driver is not on the class path.".formatted(properties.store()),
					"Add the dependency %s, or choose another lock.store.".formatted(properties.store().driver()));
		}

	}

}
