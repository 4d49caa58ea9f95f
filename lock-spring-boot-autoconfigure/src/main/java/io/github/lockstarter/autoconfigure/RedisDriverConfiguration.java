package io.github.lockstarter.autoconfigure;

import io.lettuce.core.ReadFrom;
import io.lettuce.core.RedisClient;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientConfigurationBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;

/**
 * Lets Lettuce follow what sentinels say. By default it asks them only when it has to
 * connect, so it stays with a master that is frozen or cut off, whose connection does not
 * break. Told where to read from, it listens to the sentinels all the time.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({ LettuceClientConfigurationBuilderCustomizer.class, RedisClient.class })
@ConditionalOnProperty(name = "lock.store", havingValue = "redis", matchIfMissing = true)
class RedisDriverConfiguration {

	/** The application's own property and customizers take precedence. */
	@Bean
	@Order(Ordered.HIGHEST_PRECEDENCE)
	static LettuceClientConfigurationBuilderCustomizer lockSentinelCustomizer(
			ObjectProvider<DataRedisProperties> properties, ObjectProvider<DataRedisConnectionDetails> details,
			ObjectProvider<RedisSentinelConfiguration> sentinel) {
		return (client) -> {
			boolean sentinels = sentinel.getIfAvailable() != null
					|| details.stream().anyMatch((each) -> each.getSentinel() != null);
			if (sentinels && properties.stream().allMatch((each) -> each.getLettuce().getReadFrom() == null)) {
				client.readFrom(ReadFrom.UPSTREAM);
			}
		};
	}

}
