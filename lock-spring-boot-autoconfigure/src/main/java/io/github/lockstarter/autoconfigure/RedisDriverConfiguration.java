package io.github.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.ReadFrom;
import io.lettuce.core.RedisClient;
import io.lettuce.core.resource.Delay;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.data.redis.autoconfigure.ClientResourcesBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientConfigurationBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;

import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.store.LockStore;

/**
 * Lets Lettuce come back to Redis sooner than it would by default. The application's own
 * properties and customizers take precedence.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({ LettuceClientConfigurationBuilderCustomizer.class, RedisClient.class })
@ConditionalOnProperty(name = "lock.store", havingValue = "redis", matchIfMissing = true)
@ConditionalOnMissingBean({ LockStore.class, LockRegistry.class })
class RedisDriverConfiguration {

	private static final Delay DELAY = Delay.equalJitter(Duration.ofMillis(10), Duration.ofMillis(250), 10,
			TimeUnit.MILLISECONDS);

	/**
	 * Lets it reconnect soon. By default its pause grows to 30 s, in which requests would
	 * still be answered with 503 although Redis is back.
	 */
	@Bean
	@Order(Ordered.HIGHEST_PRECEDENCE)
	static ClientResourcesBuilderCustomizer lockReconnectDelayCustomizer() {
		return (resources) -> resources.reconnectDelay(DELAY);
	}

	/**
	 * Lets it follow what sentinels say. By default it asks them only when it has to
	 * connect, so it stays with a master that is frozen or cut off, whose connection does
	 * not break. Told where to read from, it listens to the sentinels all the time.
	 */
	@Bean
	@Order(Ordered.HIGHEST_PRECEDENCE)
	static LettuceClientConfigurationBuilderCustomizer lockSentinelCustomizer(
			ObjectProvider<DataRedisProperties> properties, ObjectProvider<DataRedisConnectionDetails> details,
			ObjectProvider<RedisSentinelConfiguration> sentinel) {
		return (client) -> {
			boolean sentinels = sentinel.stream().findAny().isPresent()
					|| details.stream().anyMatch((each) -> each.getSentinel() != null);
			if (sentinels && properties.stream().allMatch((each) -> each.getLettuce().getReadFrom() == null)) {
				client.readFrom(ReadFrom.UPSTREAM);
			}
		};
	}

}
