package io.github.lockstarter.benchmarks.candidate;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;

import com.zaxxer.hikari.HikariDataSource;
import org.jspecify.annotations.Nullable;

/**
 * An {@code INSERT} and a {@code DELETE} of a row, and nothing else: prepared, in no
 * transaction, without a check of the answer to the release, renewal or fencing token. A
 * waiter asks again at once, so no candidate that asks can have shorter gaps between two
 * holders.
 */
final class BareStatementLocks implements LockClient {

	private static final String TABLE = """
			CREATE TABLE IF NOT EXISTS bare_locks (
			  lock_key VARCHAR(255) NOT NULL PRIMARY KEY,
			  owner VARCHAR(255) NOT NULL
			)""";

	private static final String ACQUIRE = "INSERT INTO bare_locks (lock_key, owner) VALUES (?, ?) ON CONFLICT DO NOTHING";

	private static final String RELEASE = "DELETE FROM bare_locks WHERE lock_key = ? AND owner = ?";

	private final HikariDataSource pool;

	BareStatementLocks(PostgreSqlAddress address) {
		this.pool = address.pool(TABLE);
	}

	@Override
	public @Nullable Runnable tryAcquire(String key) {
		String owner = Long.toHexString(ThreadLocalRandom.current().nextLong());
		return (update(ACQUIRE, key, owner) == 1) ? () -> update(RELEASE, key, owner) : null;
	}

	/** The driver keeps prepared statements with the connection. */
	private int update(String sql, String key, String owner) {
		try (Connection connection = this.pool.getConnection();
				PreparedStatement statement = connection.prepareStatement(sql)) {
			statement.setString(1, key);
			statement.setString(2, owner);
			return statement.executeUpdate();
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void pauseBeforeRetry() {
		// It asks again at once.
	}

	@Override
	public void close() {
		this.pool.close();
	}

}
