package io.github.lockstarter.autoconfigure;

import java.util.List;
import java.util.stream.Stream;

import io.lettuce.core.resource.ClientResources;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.data.redis.autoconfigure.ClientResourcesBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientConfigurationBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientOptionsBuilderCustomizer;

/**
 * The beans with which an application changes how Spring Boot connects to Redis.
 *
 * @param resources customizers of the driver's threads and networking
 * @param options customizers of the driver's options
 * @param connections customizers of the connections of Spring Data Redis; empty without
 * it
 * @param ownResources resources that the application made itself, to which
 * {@code resources} do not apply
 */
record RedisCustomizers(List<ClientResourcesBuilderCustomizer> resources,
		List<LettuceClientOptionsBuilderCustomizer> options,
		List<LettuceClientConfigurationBuilderCustomizer> connections, @Nullable ClientResources ownResources) {

	static RedisCustomizers of(ConfigurableListableBeanFactory beans) {
		return new RedisCustomizers(beans(ClientResourcesBuilderCustomizer.class, beans),
				beans(LettuceClientOptionsBuilderCustomizer.class, beans),
				beans(LettuceClientConfigurationBuilderCustomizer.class, beans), ownResources(beans));
	}

	private static <T> List<T> beans(Class<T> type, ConfigurableListableBeanFactory beans) {
		return beans.getBeanProvider(type).orderedStream().toList();
	}

	private static @Nullable ClientResources ownResources(ConfigurableListableBeanFactory beans) {
		boolean own = Stream.of(beans.getBeanNamesForType(ClientResources.class, true, false))
			.anyMatch((name) -> !ApplicationConnectionFactories.isOfBoot(name, beans));
		return own ? beans.getBeanProvider(ClientResources.class).getIfUnique() : null;
	}

}
