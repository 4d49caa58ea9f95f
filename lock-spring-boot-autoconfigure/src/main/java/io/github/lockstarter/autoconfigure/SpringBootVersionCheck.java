package io.github.lockstarter.autoconfigure;

import org.springframework.boot.SpringBootVersion;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;

import io.github.lockstarter.LockConfigurationException;

/**
 * Fails startup on a Spring Boot version that is too old, before a class is used that the
 * version does not have. Uses only classes that older versions have as well.
 */
class SpringBootVersionCheck implements ApplicationContextInitializer<ConfigurableApplicationContext> {

	@Override
	public void initialize(ConfigurableApplicationContext context) {
		check(String.valueOf((Object) SpringBootVersion.getVersion()));
	}

	static void check(String version) {
		if (version.matches("[0-3]\\..*")) {
			throw new LockConfigurationException(
					"lock-spring-boot-starter needs Spring Boot 4.0 or newer, and found %s.".formatted(version),
					"Upgrade to Spring Boot 4.0 or newer, or remove the dependency on lock-spring-boot-starter.");
		}
	}

}
