package io.github.lockstarter.autoconfigure;

import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.github.lockstarter.count.LockEventCounter;
import io.github.lockstarter.actuate.LocksEndpoint;
import io.github.lockstarter.interceptor.LastRuns;
import io.github.lockstarter.registry.LockInspector;

/**
 * Configures the {@code locks} endpoint, if an actuator exposes it.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnAvailableEndpoint(LocksEndpoint.class)
@ConditionalOnBean(LockInspector.class)
@EnableConfigurationProperties(LocksEndpointProperties.class)
class LocksEndpointConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LocksEndpoint exclusiveRequestLocksEndpoint(LockInspector locks, LockEventCounter counts, LastRuns runs,
			LocksEndpointProperties properties) {
		return new LocksEndpoint(locks, counts, runs, properties.showKeys(), properties.roles());
	}

}
