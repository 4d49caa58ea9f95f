package io.github.lockstarter.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Held;

/**
 * The table in PostgreSQL, where a column says whether a release is to be notified of.
 */
final class PostgreSqlTable extends LockTable {

	/** Always the same during a statement, even if that waits for another one. */
	private static final String NOW = "(extract(epoch FROM statement_timestamp()) * 1000)::bigint";

	private static final String BACKEND = "SELECT pg_backend_pid()";

	private final String name;

	private final String acquire;

	private final String release;

	/** Whether statements of one connection may be executed by several backends. */
	private volatile @Nullable Boolean pooled;

	PostgreSqlTable(String name) {
		super(name, NOW);
		this.name = name;
		// The setting is for this statement only: a pooler may give the connection to
		// others. The row is locked when the condition is evaluated, so a release either
		// comes before that, or finds that there is a waiter. A holder that is younger
		// than the statement is in neither part of the answer.
		this.acquire = """
				WITH setting AS (SELECT set_config('lock_timeout', '100ms', TRUE)),
				changed AS (
				  INSERT INTO %1$s AS held (lock_key, owner, token, expires_at, waiting)
				  SELECT ?::text, ?::text, %2$s, %2$s + ?, FALSE FROM setting
				  ON CONFLICT (lock_key) DO UPDATE SET
				    owner = CASE WHEN %3$s THEN EXCLUDED.owner ELSE held.owner END,
				    token = CASE WHEN %3$s THEN GREATEST(held.token + 1, EXCLUDED.token) ELSE held.token END,
				    expires_at = CASE WHEN %3$s THEN GREATEST(held.expires_at, EXCLUDED.expires_at)
				      ELSE held.expires_at END,
				    waiting = NOT (%3$s)
				  WHERE %3$s OR (? AND NOT held.waiting)
				  RETURNING owner, token, expires_at
				)
				SELECT owner, token, expires_at - %2$s FROM changed
				UNION ALL
				SELECT owner, token, expires_at - %2$s FROM %1$s
				WHERE lock_key = ? AND owner <> ? AND expires_at >= %2$s AND NOT EXISTS (SELECT 1 FROM changed)
				""".formatted(name, NOW, "held.expires_at < %s OR held.owner = EXCLUDED.owner".formatted(NOW));
		this.release = """
				WITH released AS (
				  UPDATE %1$s SET expires_at = 0
				  WHERE lock_key = ? AND owner = ? AND expires_at >= %2$s
				  RETURNING waiting
				)
				SELECT CASE WHEN waiting THEN pg_notify(?, ?) END FROM released
				""".formatted(name, NOW);
	}

	@Override
	AcquireResult acquire(Connection connection, String key, String owner, Duration ttl, boolean waits)
			throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.acquire)) {
			statement.setString(1, key);
			statement.setString(2, owner);
			statement.setLong(3, ttl.toMillis());
			statement.setBoolean(4, waits);
			statement.setString(5, key);
			statement.setString(6, owner);
			try (ResultSet rows = statement.executeQuery()) {
				return rows.next() ? answer(rows, owner) : new Held(Duration.ZERO);
			}
		}
	}

	@Override
	boolean release(Connection connection, String key, String owner) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.release)) {
			statement.setString(1, key);
			statement.setString(2, owner);
			statement.setString(3, this.name);
			statement.setString(4, key);
			try (ResultSet rows = statement.executeQuery()) {
				return rows.next();
			}
		}
	}

	/** A row that was changed since it was found has to meet the condition still. */
	@Override
	String deleteSome(String table, String columns, String condition) {
		return "DELETE FROM %1$s WHERE %3$s AND (%2$s) IN (SELECT %2$s FROM %1$s WHERE %3$s LIMIT %4$d)"
			.formatted(table, columns, condition, SOME);
	}

	/**
	 * At a higher level PostgreSQL fails a transaction that locks a row which was changed
	 * after it had begun, as a renewal does.
	 */
	@Override
	boolean canCheckAt(@Nullable Integer isolation) {
		return isolation == null || isolation <= Connection.TRANSACTION_READ_COMMITTED;
	}

	/**
	 * Behind a pooler a statement that the driver has prepared may be the one that
	 * another client has prepared under the same name. There nothing is prepared.
	 */
	@Override
	void prepare(Connection connection) throws SQLException {
		PGConnection postgres = connection.unwrap(PGConnection.class);
		Boolean pooled = this.pooled;
		if (pooled == null) {
			pooled = isPooled(connection, postgres);
			this.pooled = pooled;
		}
		if (pooled) {
			postgres.setPrepareThreshold(0);
		}
	}

	/** A pooler tells its clients of another backend than the one that answers them. */
	private static boolean isPooled(Connection connection, PGConnection postgres) throws SQLException {
		try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery(BACKEND)) {
			return !rows.next() || rows.getInt(1) != postgres.getBackendPID();
		}
	}

}
