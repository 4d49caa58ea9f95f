package io.github.lockstarter.benchmarks.http;

import com.baomidou.lock.spring.boot.autoconfigure.LockAutoConfiguration;
import com.baomidou.lock.spring.boot.autoconfigure.RedisTemplateLockAutoConfiguration;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import io.github.lockstarter.benchmarks.candidate.RedisAddress;

/**
 * The endpoints on WebFlux, without lock4j, which blocks.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration(exclude = { LockAutoConfiguration.class, RedisTemplateLockAutoConfiguration.class })
@Import(ReactiveController.class)
class ReactiveApplication {

	@Bean
	RedisAddress redis(@Value("${spring.data.redis.port}") int port) {
		return new RedisAddress(port);
	}

	@Bean(destroyMethod = "shutdown")
	RedisClient lettuce(RedisAddress redis) {
		return RedisClient.create(redis.uri());
	}

	@Bean
	StatefulRedisConnection<String, String> connection(RedisClient lettuce) {
		return lettuce.connect();
	}

	@Bean(destroyMethod = "shutdown")
	RedissonClient redisson(RedisAddress redis) {
		Config config = new Config();
		config.useSingleServer().setAddress(redis.uri());
		return Redisson.create(config);
	}

}
