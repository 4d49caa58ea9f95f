package io.github.lockstarter.autoconfigure;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.github.lockstarter.IdempotencyRegistry;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.idempotency.DefaultIdempotencyRegistry;
import io.github.lockstarter.interceptor.CallerTasks;
import io.github.lockstarter.result.SharingSettings;

/**
 * Configures idempotent work in code. The lock registry is not needed before its first
 * use.
 */
@Configuration(proxyBeanMethods = false)
class IdempotencyConfiguration {

	@Bean
	@ConditionalOnMissingBean
	IdempotencyRegistry exclusiveRequestIdempotencyRegistry(ObjectProvider<LockRegistry> registry,
			SharingSettings sharing, LockProperties properties, CallerTasks tasks) {
		return new DefaultIdempotencyRegistry(registry::getObject, sharing,
				properties.replay().settings().fingerprint(), tasks);
	}

}
