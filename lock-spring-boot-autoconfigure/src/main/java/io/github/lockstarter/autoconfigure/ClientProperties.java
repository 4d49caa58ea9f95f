package io.github.lockstarter.autoconfigure;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

import io.github.lockstarter.client.RetryLimits;

/**
 * Properties of an application that calls an API under locks.
 *
 * @param enabled Whether to define beans that repeat rejected requests with the same
 * Idempotency-Key: an IdempotentRetryInterceptor for RestClient and RestTemplate, and an
 * IdempotentRetryFilter for WebClient. The application adds them to its clients.
 * @param maxAttempts Largest number of attempts of a request, the first one included.
 * @param maxTime Longest time from the beginning of the first attempt of a request to the
 * beginning of the last one.
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
