package io.github.lockstarter.benchmarks.candidate;

import java.util.Objects;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;

import com.zaxxer.hikari.HikariDataSource;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.CannotAcquireLockException;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * Spring Integration's {@link RedisLockRegistry} and {@link JdbcLockRegistry}.
 */
final class SpringIntegrationLocks implements LockClient {

	private static final int ATTEMPTS = 5;

	/** From its {@code schema-postgresql.sql} and {@code schema-mysql.sql}. */
	private static final String TABLE = """
			CREATE TABLE IF NOT EXISTS INT_LOCK (
			  lock_key CHAR(36) NOT NULL,
			  region VARCHAR(100) NOT NULL,
			  client_id CHAR(36),
			  created_date TIMESTAMP(6) NOT NULL,
			  expired_after TIMESTAMP(6) NOT NULL,
			  CONSTRAINT INT_LOCK_PK PRIMARY KEY (lock_key, region)
			)""";

	private final LockRegistry<?> registry;

	private final Runnable close;

	private SpringIntegrationLocks(LockRegistry<?> registry, Runnable close) {
		this.registry = registry;
		this.close = close;
	}

	static LockClient spinning(RedisAddress address) {
		return onRedis(address, RedisLockType.SPIN_LOCK);
	}

	static LockClient publishing(RedisAddress address) {
		return onRedis(address, RedisLockType.PUB_SUB_LOCK);
	}

	private static LockClient onRedis(RedisAddress address, RedisLockType type) {
		LettuceConnectionFactory factory = address.newConnectionFactory();
		RedisLockRegistry registry = new RedisLockRegistry(factory, "integration", TTL);
		registry.setRedisLockType(type);
		return new SpringIntegrationLocks(registry, () -> {
			registry.destroy();
			factory.destroy();
		});
	}

	/**
	 * Creates locks with the insert statement that its documentation recommends for
	 * PostgreSQL, and its equivalent for MariaDB, because a failed insert costs more.
	 */
	static LockClient inTable(DatabaseAddress address) {
		HikariDataSource pool = address.pool(TABLE);
		DefaultLockRepository repository = new DefaultLockRepository(pool);
		repository.setInsertQuery(address.insertIfAbsent(repository.getInsertQuery()));
		repository.setTransactionManager(new JdbcTransactionManager(pool));
		repository.afterPropertiesSet();
		repository.afterSingletonsInstantiated();
		repository.start();
		return new SpringIntegrationLocks(new JdbcLockRegistry(repository, TTL), () -> {
			repository.close();
			pool.close();
		});
	}

	@Override
	public @Nullable Runnable tryAcquire(String key) {
		return obtain(key, (lock) -> lock.tryLock() ? lock::unlock : null);
	}

	@Override
	public Runnable acquire(String key) {
		return Objects.requireNonNull(obtain(key, (lock) -> {
			lock.lock();
			return lock::unlock;
		}));
	}

	/**
	 * Obtains a lock, and another one if the registry says that it has evicted the lock
	 * from its cache. It may say so of a new one, too, while other threads add locks,
	 * because it reads the cache without synchronization.
	 */
	private @Nullable Runnable obtain(String key, Function<Lock, @Nullable Runnable> acquire) {
		for (int attempt = 1;; attempt++) {
			try {
				return acquire.apply(this.registry.obtain(key));
			}
			catch (CannotAcquireLockException ex) {
				if (attempt == ATTEMPTS || !(ex.getCause() instanceof IllegalStateException)) {
					throw ex;
				}
			}
		}
	}

	@Override
	public void close() {
		this.close.run();
	}

}
