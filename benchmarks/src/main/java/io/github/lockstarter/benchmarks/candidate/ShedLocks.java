package io.github.lockstarter.benchmarks.candidate;

import java.time.Duration;
import java.time.Instant;

import com.zaxxer.hikari.HikariDataSource;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * ShedLock's lock provider, called directly. It does not wait, so a loop retries.
 */
final class ShedLocks implements LockClient {

	/** The table from its documentation. */
	private static final String TABLE = """
			CREATE TABLE IF NOT EXISTS shedlock (
			  name VARCHAR(64) NOT NULL PRIMARY KEY,
			  lock_until TIMESTAMP(3) NOT NULL,
			  locked_at TIMESTAMP(3) NOT NULL,
			  locked_by VARCHAR(255) NOT NULL
			)""";

	private final LockProvider provider;

	private final Runnable close;

	ShedLocks(RedisAddress address) {
		LettuceConnectionFactory factory = address.newConnectionFactory();
		this.provider = new RedisLockProvider(factory, "shedlock");
		this.close = factory::destroy;
	}

	/** Uses the time of the database, as its documentation recommends. */
	ShedLocks(DatabaseAddress address) {
		HikariDataSource pool = address.pool(TABLE);
		this.provider = new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
			.withJdbcTemplate(new JdbcTemplate(pool))
			.usingDbTime()
			.build());
		this.close = pool::close;
	}

	@Override
	public @Nullable Runnable tryAcquire(String key) {
		SimpleLock lock = this.provider.lock(new LockConfiguration(Instant.now(), key, TTL, Duration.ZERO))
			.orElse(null);
		return (lock != null) ? lock::unlock : null;
	}

	@Override
	public void close() {
		this.close.run();
	}

}
