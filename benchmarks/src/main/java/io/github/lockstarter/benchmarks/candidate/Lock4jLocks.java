package io.github.lockstarter.benchmarks.candidate;

import com.baomidou.lock.LockInfo;
import com.baomidou.lock.LockTemplate;
import com.baomidou.lock.spring.boot.autoconfigure.LockAutoConfiguration;
import com.baomidou.lock.spring.boot.autoconfigure.RedisTemplateLockAutoConfiguration;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/**
 * lock4j's template, as created by its auto-configuration.
 */
final class Lock4jLocks implements LockClient {

	private final ConfigurableApplicationContext application;

	private final LockTemplate locks;

	Lock4jLocks(RedisAddress address) {
		this.application = Applications.start(Lock4j.class, address);
		this.locks = this.application.getBean(LockTemplate.class);
	}

	@Override
	public @Nullable Runnable tryAcquire(String key) {
		return acquire(key, 0);
	}

	@Override
	public Runnable acquire(String key) {
		Runnable release = acquire(key, Integer.MAX_VALUE);
		if (release == null) {
			throw new IllegalStateException();
		}
		return release;
	}

	private @Nullable Runnable acquire(String key, long waitMillis) {
		LockInfo lock = this.locks.lock("lock4j:" + key, TTL.toMillis(), waitMillis);
		return (lock != null) ? () -> this.locks.releaseLock(lock) : null;
	}

	@Override
	public void close() {
		this.application.close();
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, LockAutoConfiguration.class,
			RedisTemplateLockAutoConfiguration.class })
	static class Lock4j {

	}

}
