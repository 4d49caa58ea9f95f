package io.github.lockstarter.autoconfigure;

import java.util.Locale;
import java.util.Map;
import java.util.Set;

import io.lettuce.core.RedisClient;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.data.redis.autoconfigure.ClientResourcesBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientOptionsBuilderCustomizer;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.store.DroppedResults;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.redis.RedisLockStore;
import io.github.lockstarter.store.redis.connection.RedisConnections;

/**
 * Configures the store in Redis, unless {@code lock.store} names another store. The store
 * has its own connection, which is not a bean, so that no other part of the application
 * uses it.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({ DataRedisProperties.class, RedisClient.class })
@ConditionalOnLockStore(LockProperties.Store.REDIS)
class RedisStoreConfiguration {

	private static final String PREFIX = "spring.data.redis";

	/** The properties with the address of Redis. */
	private static final Set<String> ADDRESS = Set.of("url", "host", "port", "sentinel", "cluster", "masterreplica");

	@Bean(destroyMethod = "close")
	@Lazy
	@ConditionalOnMissingBean({ LockStore.class, LockRegistry.class })
	LockStore exclusiveRequestRedisLockStore(LockProperties properties, Environment environment,
			ObjectProvider<DataRedisConnectionDetails> details, ObjectProvider<SslBundles> sslBundles,
			ObjectProvider<ClientResourcesBuilderCustomizer> resources,
			ObjectProvider<LettuceClientOptionsBuilderCustomizer> options, ConfigurableListableBeanFactory beans,
			ObjectProvider<LockCounts> counts) {
		properties.require(LockProperties.Store.REDIS);
		Binder binder = Binder.get(environment);
		if (!hasAddress(binder) && details.stream().allMatch(RedisStoreConfiguration::isOfBoot)) {
			refuseToGuess(beans);
		}
		DataRedisProperties redis = binder.bindOrCreate(PREFIX, DataRedisProperties.class);
		RedisConnections connections = new DataRedisConnections(redis,
				details.getIfAvailable(() -> new DataRedisPropertiesDetails(redis, sslBundles.getIfAvailable())))
			.create(resources.orderedStream().toList(), options.orderedStream().toList());
		if (connections.isClustered() && properties.redis().replicasToAck() > 0) {
			connections.shutdown();
			throw new LockConfigurationException(
					"lock.redis.replicas-to-ack is set, which cannot be used with a Redis Cluster.",
					"Remove lock.redis.replicas-to-ack.");
		}
		RedisLockStore store = new RedisLockStore(connections, properties.redis().keyPrefix(),
				properties.redis().commandTimeout(), properties.redis().replicasToAck(),
				new DroppedResults(counts::getObject));
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
	 * Returns whether the details belong to Spring Boot, which creates them from the same
	 * properties.
	 */
	private static boolean isOfBoot(DataRedisConnectionDetails details) {
		return details.getClass().getPackage() == DataRedisConnectionDetails.class.getPackage();
	}

	/**
	 * Refuses the default address if the application configures its Redis only in code:
	 * its locks would be in another Redis, on {@code localhost}.
	 */
	private static void refuseToGuess(ConfigurableListableBeanFactory beans) {
		String own = ApplicationConnectionFactories.find(beans);
		if (own != null) {
			throw new LockConfigurationException(
					"lock.store is redis, whose address is taken from spring.data.redis.*. No address is set there, but the application has the bean '%s', which locks do not use."
						.formatted(own),
					"Set spring.data.redis.* for the locks, or define a bean of type LockStore with your own LettuceConnectionFactory: new RedisLockStore(new SpringDataConnections(factory), \"lock\", Duration.ofMillis(500), 0).");
		}
	}

}
