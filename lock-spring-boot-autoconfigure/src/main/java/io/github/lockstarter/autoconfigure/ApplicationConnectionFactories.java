package io.github.lockstarter.autoconfigure;

import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.boot.data.redis.autoconfigure.JedisClientConfigurationBuilderCustomizer;
import org.springframework.util.ClassUtils;

/**
 * Finds beans with which an application configures its Redis connection in code, and
 * which the library cannot follow.
 */
final class ApplicationConnectionFactories {

	private static final String BOOT = ClassUtils.getPackageName(DataRedisProperties.class) + ".";

	private static final String PACKAGE = "org.springframework.data.redis.connection.";

	private ApplicationConnectionFactories() {
	}

	/**
	 * Returns the name of a connection factory of the application; {@code null} if there
	 * is none.
	 */
	static @Nullable String find(ConfigurableListableBeanFactory beans) {
		return isPresent(beans) ? Stream.of("RedisConnectionFactory", "ReactiveRedisConnectionFactory")
			.map((type) -> ClassUtils.resolveClassName(PACKAGE + type, beans.getBeanClassLoader()))
			.flatMap((type) -> names(type, beans))
			.filter((name) -> !isOfBoot(name, beans))
			.findFirst()
			.orElse(null) : null;
	}

	/** Returns whether the application has Spring Data Redis. */
	static boolean isPresent(ConfigurableListableBeanFactory beans) {
		return ClassUtils.isPresent(PACKAGE + "RedisConnectionFactory", beans.getBeanClassLoader());
	}

	/**
	 * Returns the name of a customizer of the driver that only the application uses;
	 * {@code null} if there is none.
	 */
	static @Nullable String findJedisCustomizer(ConfigurableListableBeanFactory beans) {
		return names(JedisClientConfigurationBuilderCustomizer.class, beans).findFirst().orElse(null);
	}

	private static Stream<String> names(Class<?> type, ConfigurableListableBeanFactory beans) {
		return Stream.of(beans.getBeanNamesForType(type, true, false));
	}

	/** Returns whether Spring Boot's auto-configuration for Redis defines the bean. */
	static boolean isOfBoot(String name, ConfigurableListableBeanFactory beans) {
		String configuration = beans.containsBeanDefinition(name)
				? beans.getMergedBeanDefinition(name).getFactoryBeanName() : null;
		Class<?> type = (configuration != null) ? beans.getType(configuration) : null;
		return type != null && type.getName().startsWith(BOOT);
	}

}
