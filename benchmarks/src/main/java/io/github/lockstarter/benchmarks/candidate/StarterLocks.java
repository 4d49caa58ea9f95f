package io.github.lockstarter.benchmarks.candidate;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.autoconfigure.LockAutoConfiguration;

/**
 * This library, as its auto-configuration makes it: with renewal and fencing tokens.
 */
final class StarterLocks implements LockClient {

	private static final LockOptions AT_ONCE = LockOptions.of(TTL);

	private static final LockOptions PATIENT = AT_ONCE.withWaitTime(Duration.ofMinutes(10));

	private final ConfigurableApplicationContext application;

	private final LockRegistry locks;

	StarterLocks(RedisAddress address) {
		this.application = Applications.start(Starter.class, address, "lock.max-waiters=100000",
				"lock.redis.command-timeout=30s");
		this.locks = this.application.getBean(LockRegistry.class);
	}

	@Override
	public @Nullable Runnable tryAcquire(String key) {
		Lease lease = this.locks.tryAcquire(new LockKey("benchmark", key), AT_ONCE).orElse(null);
		return (lease != null) ? lease::close : null;
	}

	@Override
	public Runnable acquire(String key) {
		return this.locks.acquire(new LockKey("benchmark", key), PATIENT)::close;
	}

	@Override
	public CompletionStage<Runnable> acquireAsync(String key) {
		return this.locks.tryAcquireAsync(new LockKey("benchmark", key), PATIENT)
			.thenApply((lease) -> lease.orElseThrow()::releaseAsync);
	}

	@Override
	public void close() {
		this.application.close();
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, LockAutoConfiguration.class })
	static class Starter {

	}

}
