package io.github.lockstarter.benchmarks.candidate;

import java.time.Duration;
import java.time.Instant;

import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * ShedLock's lock provider, called directly. It does not wait, so a loop does.
 */
final class ShedLocks implements LockClient {

	private final LettuceConnectionFactory factory;

	private final RedisLockProvider provider;

	ShedLocks(RedisAddress address) {
		this.factory = address.connectionFactory();
		this.provider = new RedisLockProvider(this.factory, "shedlock");
	}

	@Override
	public @Nullable Runnable tryAcquire(String key) {
		SimpleLock lock = this.provider.lock(new LockConfiguration(Instant.now(), key, TTL, Duration.ZERO))
			.orElse(null);
		return (lock != null) ? lock::unlock : null;
	}

	@Override
	public void close() {
		this.factory.destroy();
	}

}
