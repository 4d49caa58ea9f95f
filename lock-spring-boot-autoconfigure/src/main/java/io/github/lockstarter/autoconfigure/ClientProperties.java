package io.github.lockstarter.autoconfigure;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

import io.github.lockstarter.client.RetryLimits;

/**
 * Properties of an application that calls an API under locks.
 *
 * @param enabled Whether there are beans that repeat refused requests with the same
 * Idempotency-Key: an IdempotentRetryInterceptor for RestClient and RestTemplate, and an
 * IdempotentRetryFilter for WebClient. The application adds them to its clients.
 * @param maxAttempts How often a request is sent at most, the first time included.
 * @param maxTime How long after the first attempt of a request the last one may begin.
 */
@ConfigurationProperties("lock.client")
record ClientProperties(@DefaultValue("false") boolean enabled, @DefaultValue("5") int maxAttempts,
		@DefaultValue("30s") Duration maxTime) {

	ClientProperties {
		LockProperties.check("lock.client.max-attempts", maxAttempts, RetryLimits.DEFAULT::withMaxAttempts);
		LockProperties.check("lock.client.max-time", maxTime, RetryLimits.DEFAULT::withMaxTime);
	}

	RetryLimits limits() {
		return new RetryLimits(this.maxAttempts, this.maxTime);
	}

}
