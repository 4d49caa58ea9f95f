package io.github.lockstarter.benchmarks.candidate;

import java.util.concurrent.locks.Lock;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/**
 * Spring Integration's {@link RedisLockRegistry}.
 */
final class SpringIntegrationLocks implements LockClient {

	private final LettuceConnectionFactory factory;

	private final RedisLockRegistry registry;

	private SpringIntegrationLocks(RedisAddress address, RedisLockType type) {
		this.factory = address.connectionFactory();
		this.registry = new RedisLockRegistry(this.factory, "integration", TTL);
		this.registry.setRedisLockType(type);
	}

	static LockClient spinning(RedisAddress address) {
		return new SpringIntegrationLocks(address, RedisLockType.SPIN_LOCK);
	}

	static LockClient publishing(RedisAddress address) {
		return new SpringIntegrationLocks(address, RedisLockType.PUB_SUB_LOCK);
	}

	@Override
	public @Nullable Runnable tryAcquire(String key) {
		Lock lock = this.registry.obtain(key);
		return lock.tryLock() ? lock::unlock : null;
	}

	@Override
	public Runnable acquire(String key) {
		Lock lock = this.registry.obtain(key);
		lock.lock();
		return lock::unlock;
	}

	@Override
	public void close() {
		this.registry.destroy();
		this.factory.destroy();
	}

}
