package io.github.lockstarter.autoconfigure;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.reactive.function.client.WebClient;

import io.github.lockstarter.client.IdempotentRetryFilter;
import io.github.lockstarter.client.IdempotentRetryInterceptor;

/**
 * Auto-configuration for applications that call an API under locks. Where
 * {@code lock.client.enabled} is true, there are beans that repeat refused requests. They
 * are in no client unless the application adds them: to one whose server does not know
 * the {@code Idempotency-Key} they would do harm. It needs no locks, so an application
 * that has none can exclude {@link LockAutoConfiguration}.
 */
@AutoConfiguration
@EnableConfigurationProperties(ClientProperties.class)
public final class LockClientAutoConfiguration {

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty("lock.client.enabled")
	static class Blocking {

		@Bean
		@ConditionalOnMissingBean
		IdempotentRetryInterceptor exclusiveRequestRetryInterceptor(ClientProperties properties) {
			return new IdempotentRetryInterceptor(properties.limits());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty("lock.client.enabled")
	@ConditionalOnClass(WebClient.class)
	static class Reactive {

		@Bean
		@ConditionalOnMissingBean
		IdempotentRetryFilter exclusiveRequestRetryFilter(ClientProperties properties) {
			return new IdempotentRetryFilter(properties.limits());
		}

	}

}
