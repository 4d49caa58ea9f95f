package io.github.lockstarter.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanClassLoaderAware;
import org.springframework.boot.autoconfigure.AutoConfigurationImportFilter;
import org.springframework.boot.autoconfigure.AutoConfigurationMetadata;
import org.springframework.util.ClassUtils;

/**
 * Excludes Spring Boot's auto-configurations for Spring Data Redis in an application
 * without Spring Data Redis. Most of them have this condition themselves. The observation
 * of the driver does not, and would be configured because {@code lock-redis} brings the
 * driver.
 */
final class SpringDataRedisFilter implements AutoConfigurationImportFilter, BeanClassLoaderAware {

	private static final String FILTERED = "org.springframework.boot.data.redis.autoconfigure.";

	private @Nullable ClassLoader classLoader;

	@Override
	public void setBeanClassLoader(ClassLoader classLoader) {
		this.classLoader = classLoader;
	}

	@Override
	public boolean[] match(@Nullable String[] autoConfigurations, AutoConfigurationMetadata metadata) {
		boolean springData = ClassUtils.isPresent("org.springframework.data.redis.core.RedisOperations",
				this.classLoader);
		boolean[] matches = new boolean[autoConfigurations.length];
		for (int i = 0; i < matches.length; i++) {
			String name = autoConfigurations[i];
			matches[i] = springData || name == null || !name.startsWith(FILTERED);
		}
		return matches;
	}

}
