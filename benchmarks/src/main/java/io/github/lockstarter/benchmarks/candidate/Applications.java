package io.github.lockstarter.benchmarks.candidate;

import java.util.stream.Stream;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Spring Boot applications without a web server, for candidates with an
 * auto-configuration.
 */
final class Applications {

	private Applications() {
	}

	static ConfigurableApplicationContext start(Class<?> configuration, RedisAddress redis, String... properties) {
		return new SpringApplicationBuilder(configuration).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.registerShutdownHook(false)
			.properties(Stream.of(redis.properties(), properties).flatMap(Stream::of).toArray(String[]::new))
			.run();
	}

}
