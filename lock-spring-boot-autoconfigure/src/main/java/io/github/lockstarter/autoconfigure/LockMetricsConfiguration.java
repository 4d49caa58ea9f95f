package io.github.lockstarter.autoconfigure;

import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.github.lockstarter.count.LockEventCounter;
import io.github.lockstarter.actuate.LockMetrics;
import io.github.lockstarter.actuate.LockWaitTimer;
import io.github.lockstarter.registry.LockInspector;

/**
 * Configures the meters {@code lock.*}, if Micrometer is present.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(LockInspector.class)
class LockMetricsConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LockMetrics exclusiveRequestMetrics(LockEventCounter counts, LockInspector locks) {
		return new LockMetrics(counts, locks);
	}

	/**
	 * Must not depend on the registry of locks, which depends on that of observations.
	 */
	@Bean
	@ConditionalOnMissingBean
	static LockWaitTimer exclusiveRequestWaitTimer(ObjectProvider<MeterRegistry> registry) {
		return new LockWaitTimer(registry::ifAvailable);
	}

}
