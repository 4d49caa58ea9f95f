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
 * Auto-configuration for applications that call an API with locks. If
 * {@code lock.client.enabled} is true, it creates beans that repeat rejected requests.
 * The application has to add them to its clients itself, because they are harmful for a
 * server that does not support the {@code Idempotency-Key}. An application that only
 * calls such an API needs no more than the module {@code lock-client}, without this.
 */
@AutoConfiguration
@EnableConfigurationProperties(ClientProperties.class)
public final class LockClientAutoConfiguration {

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty("lock.client.enabled")
	static class BlockingClientConfiguration {

		@Bean
		@ConditionalOnMissingBean
		IdempotentRetryInterceptor exclusiveRequestRetryInterceptor(ClientProperties properties) {
			return new IdempotentRetryInterceptor(properties.limits());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty("lock.client.enabled")
	@ConditionalOnClass(WebClient.class)
	static class ReactiveClientConfiguration {

		@Bean
		@ConditionalOnMissingBean
		IdempotentRetryFilter exclusiveRequestRetryFilter(ClientProperties properties) {
			return new IdempotentRetryFilter(properties.limits());
		}

	}

}
