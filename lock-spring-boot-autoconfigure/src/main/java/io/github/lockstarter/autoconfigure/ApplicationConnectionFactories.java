package io.github.lockstarter.autoconfigure;

import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.util.ClassUtils;

/**
 * Finds beans with which an application configures its Redis connection in code, instead
 * of by properties.
 */
final class ApplicationConnectionFactories {

	private static final String BOOT = ClassUtils.getPackageName(DataRedisProperties.class) + ".";

	private ApplicationConnectionFactories() {
	}

	/** Returns the name of such a bean; {@code null} if there is none. */
	static @Nullable String find(ConfigurableListableBeanFactory beans) {
		return Stream
			.of("org.springframework.data.redis.connection.RedisConnectionFactory",
					"org.springframework.data.redis.connection.RedisConfiguration")
			.filter((type) -> ClassUtils.isPresent(type, beans.getBeanClassLoader()))
			.map((type) -> ClassUtils.resolveClassName(type, beans.getBeanClassLoader()))
			.flatMap((type) -> Stream.of(beans.getBeanNamesForType(type, true, false)))
			.filter((name) -> !isOfBoot(name, beans))
			.findFirst()
			.orElse(null);
	}

	private static boolean isOfBoot(String name, ConfigurableListableBeanFactory beans) {
		String configuration = beans.containsBeanDefinition(name)
				? beans.getMergedBeanDefinition(name).getFactoryBeanName() : null;
		Class<?> type = (configuration != null) ? beans.getType(configuration) : null;
		return type != null && type.getName().startsWith(BOOT);
	}

}
