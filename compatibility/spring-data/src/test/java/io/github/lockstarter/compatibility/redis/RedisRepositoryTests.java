package io.github.lockstarter.compatibility.redis;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.r2dbc.autoconfigure.R2dbcAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import io.github.lockstarter.compatibility.Locks;
import io.github.lockstarter.testing.LocalRedis;

/**
 * Repositories of Spring Data Redis. The locks are elsewhere, or in the same Redis.
 */
class RedisRepositoryTests {

	@AutoClose
	private static final LocalRedis redis = LocalRedis.started();

	@ParameterizedTest
	@ValueSource(strings = { "memory", "redis" })
	@DisplayName("An annotated method of a repository has its lock")
	void locked(String store) {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
			.web(WebApplicationType.NONE)
			.run("--lock.store=" + store, "--spring.data.redis.host=127.0.0.1",
					"--spring.data.redis.port=" + redis.port(), "--lock.redis.command-timeout=30s")) {
			BasketRepository baskets = context.getBean(BasketRepository.class);
			Locks locks = new Locks(context);
			locks.assertLocked("save", (id) -> baskets.save(Basket.of(id)));
			locks.assertLocked("find", baskets::findByOwner);
			locks.assertLocked("empty", baskets::empty);
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(exclude = R2dbcAutoConfiguration.class)
	static class Application {

	}

}
