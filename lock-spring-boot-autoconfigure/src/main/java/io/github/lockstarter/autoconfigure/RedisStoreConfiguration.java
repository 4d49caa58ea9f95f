package io.github.lockstarter.autoconfigure;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import io.lettuce.core.RedisClient;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.autoconfigure.ConditionalOnLockStore.StoreUse;
import io.github.lockstarter.count.LockEventCounter;
import io.github.lockstarter.store.DroppedResults;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.LockStores;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.connection.RedisConnections;

/**
 * Configures the store in Redis, which is the default, if a property names it. The store
 * has its own connection, which is not a bean, so that no other part of the application
 * uses it.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({ RedisLockStore.class, DataRedisProperties.class, RedisClient.class })
@ConditionalOnLockStore(LockProperties.Store.REDIS)
@EnableConfigurationProperties(RedisProperties.class)
class RedisStoreConfiguration {

	private static final Log logger = LogFactory.getLog(RedisStoreConfiguration.class);

	private static final String PREFIX = "spring.data.redis";

	/** The properties with the address of Redis. */
	private static final Set<String> ADDRESS = Set.of("url", "host", "port", "sentinel", "cluster", "masterreplica");

	private final RedisProperties properties;

	RedisStoreConfiguration(RedisProperties properties) {
		this.properties = properties;
	}

	@Bean(destroyMethod = "close")
	@Lazy
	@ConditionalOnLockStore(value = LockProperties.Store.REDIS, use = StoreUse.DEFAULT)
	@ConditionalOnMissingBean({ LockStore.class, LockRegistry.class })
	LockStore exclusiveRequestRedisLockStore(LockProperties locks, Environment environment,
			ObjectProvider<DataRedisConnectionDetails> details, ObjectProvider<SslBundles> sslBundles,
			ConfigurableListableBeanFactory beans, ObjectProvider<LockEventCounter> counts) {
		locks.require(LockProperties.Store.REDIS);
		return create(environment, details, sslBundles, beans, counts);
	}

	@Bean(autowireCandidate = false, destroyMethod = "close")
	@Lazy
	@ConditionalOnLockStore(value = LockProperties.Store.REDIS, use = StoreUse.NAMED)
	@ConditionalOnMissingBean(value = { LockStores.class, LockRegistry.class }, name = "exclusiveRequestRedisLockStore")
	LockStore exclusiveRequestNamedRedisLockStore(Environment environment,
			ObjectProvider<DataRedisConnectionDetails> details, ObjectProvider<SslBundles> sslBundles,
			ConfigurableListableBeanFactory beans, ObjectProvider<LockEventCounter> counts) {
		return create(environment, details, sslBundles, beans, counts);
	}

	private LockStore create(Environment environment, ObjectProvider<DataRedisConnectionDetails> details,
			ObjectProvider<SslBundles> sslBundles, ConfigurableListableBeanFactory beans,
			ObjectProvider<LockEventCounter> counts) {
		Binder binder = Binder.get(environment);
		boolean addressed = hasAddress(binder) || !details.stream().allMatch(DataRedisPropertiesDetails::areProperties);
		String ownFactory = ApplicationConnectionFactories.find(beans);
		if (ownFactory != null) {
			reportOwnFactory(ownFactory, addressed);
		}
		Supplier<DataRedisProperties> current = () -> binder.bindOrCreate(PREFIX, DataRedisProperties.class);
		DataRedisProperties redis = current.get();
		reportJedis(redis, beans);
		DataRedisConnectionDetails address = details
			.getIfAvailable(() -> new DataRedisPropertiesDetails(current, sslBundles.getIfAvailable()));
		if (ownFactory == null && ApplicationConnectionFactories.isPresent(beans)) {
			address = RedisConfigurationDetails.orElse(address, beans);
		}
		RedisConnections connections = new DataRedisConnections(redis, address).create(RedisCustomizers.of(beans));
		if (connections.isClustered() && this.properties.replicasToAck() > 0) {
			connections.shutdown();
			throw new LockConfigurationException(
					"lock.redis.replicas-to-ack is set, which cannot be used with a Redis Cluster.",
					"Remove lock.redis.replicas-to-ack.");
		}
		RedisLockStore store = new RedisLockStore(connections, this.properties.keyPrefix(),
				this.properties.commandTimeout(), this.properties.replicasToAck(),
				new DroppedResults((lockName) -> counts.getObject().add(lockName, Event.RESULT_DROPPED)));
		// Loads the driver while the rest of the application starts.
		store.connect();
		return store;
	}

	private static boolean hasAddress(Binder binder) {
		Map<String, Object> properties = binder.bind(PREFIX, Bindable.mapOf(String.class, Object.class))
			.orElse(Map.of());
		return properties.keySet().stream().map((name) -> name.toLowerCase(Locale.ROOT)).anyMatch(ADDRESS::contains);
	}

	/**
	 * Says that locks do not use a connection factory of the application. If no other
	 * address than the default one is configured, startup fails: the locks would be in
	 * another Redis, on {@code localhost}.
	 */
	private static void reportOwnFactory(String name, boolean addressed) {
		if (!addressed) {
			throw new LockConfigurationException(
					"Locks are in Redis, whose address is taken from spring.data.redis.*. No address is set there, but the application has the bean '%s', which locks do not use."
						.formatted(name),
					"Set spring.data.redis.* for the locks, or define a bean of type LockStore with your own LettuceConnectionFactory: new RedisLockStore(new SpringDataConnections(factory), \"lock\", Duration.ofMillis(500), 0).");
		}
		logger.warn("Locks connect to Redis with spring.data.redis.*, and do not use the settings of the bean '" + name
				+ "', such as its TLS and its credentials. To use them, define a LockStore with SpringDataConnections.");
	}

	private static void reportJedis(DataRedisProperties redis, ConfigurableListableBeanFactory beans) {
		String customizer = (redis.getClientType() == DataRedisProperties.ClientType.JEDIS)
				? ApplicationConnectionFactories.findJedisCustomizer(beans) : null;
		if (customizer != null) {
			logger.warn("Locks connect to Redis with Lettuce, so the bean '" + customizer
					+ "' does not apply to them. If it sets what every connection needs, such as TLS or credentials,"
					+ " set that with spring.data.redis.*, or also define a LettuceClientConfigurationBuilderCustomizer.");
		}
	}

}
