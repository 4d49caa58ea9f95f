package io.github.lockstarter.benchmarks.candidate;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.util.concurrent.ThreadLocalRandom;

import com.zaxxer.hikari.HikariDataSource;
import org.jspecify.annotations.Nullable;

/**
 * An {@code INSERT} and a {@code DELETE} of a row, and nothing else: prepared, without a
 * transaction, without a check of the answer to the release, without renewal or fencing
 * token. A waiter polls without a pause, so no candidate that polls can have shorter gaps
 * between two holders.
 */
final class BareStatementLocks implements LockClient {

	private static final String TABLE = """
			CREATE TABLE IF NOT EXISTS bare_locks (
			  lock_key VARCHAR(255) NOT NULL PRIMARY KEY,
			  owner VARCHAR(255) NOT NULL
			)""";

	private static final String ACQUIRE = "INSERT INTO bare_locks (lock_key, owner) VALUES (?, ?)";

	private static final String RELEASE = "DELETE FROM bare_locks WHERE lock_key = ? AND owner = ?";

	private final HikariDataSource pool;

	private final String acquire;

	BareStatementLocks(DatabaseAddress address) {
		this.pool = address.pool(TABLE);
		this.acquire = address.insertIfAbsent(ACQUIRE);
	}

	@Override
	public @Nullable Runnable tryAcquire(String key) {
		String owner = Long.toHexString(ThreadLocalRandom.current().nextLong());
		return (update(this.acquire, key, owner) == 1) ? () -> update(RELEASE, key, owner) : null;
	}

	/**
	 * Repeats a statement that MariaDB has rolled back because of a deadlock, which is
	 * frequent.
	 */
	private int update(String sql, String key, String owner) {
		while (true) {
			try {
				return updateOnce(sql, key, owner);
			}
			catch (SQLTransactionRollbackException ex) {
				// Again.
			}
			catch (SQLException ex) {
				throw new IllegalStateException(ex);
			}
		}
	}

	/** The driver keeps prepared statements with the connection. */
	private int updateOnce(String sql, String key, String owner) throws SQLException {
		try (Connection connection = this.pool.getConnection();
				PreparedStatement statement = connection.prepareStatement(sql)) {
			statement.setString(1, key);
			statement.setString(2, owner);
			return statement.executeUpdate();
		}
	}

	@Override
	public void pauseBeforeRetry() {
		// It polls without a pause.
	}

	@Override
	public void close() {
		this.pool.close();
	}

}
