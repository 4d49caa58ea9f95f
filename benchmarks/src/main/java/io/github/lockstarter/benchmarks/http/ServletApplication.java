package io.github.lockstarter.benchmarks.http;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import io.github.lockstarter.benchmarks.candidate.RedisCandidate;
import io.github.lockstarter.benchmarks.candidate.LockClient;
import io.github.lockstarter.benchmarks.candidate.RedisAddress;

/**
 * The endpoints on Spring MVC, with all auto-configurations, as an application has them.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ PlainController.class, ExclusiveRequestController.class, Lock4jController.class })
class ServletApplication {

	@Bean
	LockClient byHand(@Value("${spring.data.redis.port}") int port) {
		return RedisCandidate.BASELINE.connect(new RedisAddress(port));
	}

	@Bean
	LockClient redisson(@Value("${spring.data.redis.port}") int port) {
		return RedisCandidate.REDISSON_LEASE.connect(new RedisAddress(port));
	}

}
