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
import io.github.lockstarter.registry.DefaultLockRegistry;
import io.github.lockstarter.registry.RegistrySettings;
import io.github.lockstarter.store.jdbc.JdbcLockStore;
import io.github.lockstarter.store.jdbc.JdbcLockStoreSettings;

/**
 * This library, with renewal and fencing tokens.
 */
final class StarterLocks implements LockClient {

	private static final LockOptions AT_ONCE = LockOptions.of(TTL);

	private static final LockOptions PATIENT = AT_ONCE.withWaitTime(Duration.ofMinutes(10));

	private static final int MAX_WAITERS = 100_000;

	private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(30);

	private final LockRegistry locks;

	private final Runnable close;

	/** Creates locks on Redis, as the auto-configuration does. */
	StarterLocks(RedisAddress address) {
		ConfigurableApplicationContext application = Applications.start(Starter.class, address,
				"lock.max-waiters=" + MAX_WAITERS, "lock.redis.command-timeout=" + COMMAND_TIMEOUT);
		this.locks = application.getBean(LockRegistry.class);
		this.close = application::close;
	}

	/**
	 * Creates locks in a SQL database, without the auto-configuration. That one needs
	 * Spring Boot's support for JDBC, which would change the applications on Redis if it
	 * was on the class path.
	 */
	StarterLocks(DatabaseAddress address) {
		JdbcLockStore store = new JdbcLockStore(JdbcLockStoreSettings.of(address.settings())
			.withConnections(DatabaseAddress.CONNECTIONS)
			.withCreateTables(true)
			.withCommandTimeout(COMMAND_TIMEOUT));
		store.afterPropertiesSet();
		DefaultLockRegistry registry = new DefaultLockRegistry(store,
				RegistrySettings.of(AT_ONCE).withMaxWaiters(MAX_WAITERS));
		this.locks = registry;
		this.close = () -> {
			registry.close();
			store.destroy();
		};
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
		this.close.run();
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, LockAutoConfiguration.class })
	static class Starter {

	}

}
