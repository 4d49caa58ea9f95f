package io.github.lockstarter.benchmarks.candidate;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Redisson's {@link RLock}.
 */
final class RedissonLocks implements LockClient {

	/** The lease time that makes Redisson renew a lock. */
	private static final long WATCHDOG = -1;

	/** Asynchronous holders are distinguished by numbers that no thread has. */
	private static final AtomicLong holders = new AtomicLong(1L << 32);

	private final RedissonClient client;

	private final long leaseMillis;

	private RedissonLocks(RedisAddress address, long leaseMillis) {
		Config config = new Config();
		config.setLockWatchdogTimeout(TTL.toMillis());
		config.useSingleServer().setAddress(address.uri());
		this.client = Redisson.create(config);
		this.leaseMillis = leaseMillis;
	}

	static LockClient withLease(RedisAddress address) {
		return new RedissonLocks(address, TTL.toMillis());
	}

	static LockClient withWatchdog(RedisAddress address) {
		return new RedissonLocks(address, WATCHDOG);
	}

	@Override
	public @Nullable Runnable tryAcquire(String key) throws Exception {
		RLock lock = lock(key);
		return lock.tryLock(0, this.leaseMillis, TimeUnit.MILLISECONDS) ? lock::unlock : null;
	}

	@Override
	public Runnable acquire(String key) {
		RLock lock = lock(key);
		lock.lock(this.leaseMillis, TimeUnit.MILLISECONDS);
		return lock::unlock;
	}

	@Override
	public CompletionStage<Runnable> acquireAsync(String key) {
		RLock lock = lock(key);
		long holder = holders.getAndIncrement();
		return lock.lockAsync(this.leaseMillis, TimeUnit.MILLISECONDS, holder)
			.thenApply((locked) -> () -> lock.unlockAsync(holder));
	}

	private RLock lock(String key) {
		return this.client.getLock("redisson:" + key);
	}

	@Override
	public void close() {
		this.client.shutdown();
	}

}
