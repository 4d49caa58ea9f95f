package io.github.lockstarter.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanClassLoaderAware;
import org.springframework.boot.autoconfigure.AutoConfigurationImportFilter;
import org.springframework.boot.autoconfigure.AutoConfigurationMetadata;
import org.springframework.util.ClassUtils;

/**
 * Leaves out what Spring Boot configures for Spring Data Redis in an application that has
 * no Spring Data Redis. Most of it has that condition itself. But the observation of the
 * driver has not, which is there because of this library.
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
