package io.github.lockstarter.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;

/**
 * The table in H2. After a rejection, the holder is read with a second statement.
 */
final class H2Table extends LockTable {

	/** Constant during a transaction. */
	private static final String NOW = "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) * 1000 AS BIGINT)";

	private final String acquire;

	H2Table(String name) {
		super(name, NOW);
		this.acquire = """
				SELECT owner, token, expires_at - %2$s FROM FINAL TABLE (
				  MERGE INTO %1$s AS held
				  USING (SELECT CAST(? AS VARCHAR) AS lock_key, CAST(? AS VARCHAR) AS owner, %2$s AS token,
				    %2$s + CAST(? AS BIGINT) AS expires_at) AS asked
				  ON held.lock_key = asked.lock_key
				  WHEN MATCHED AND (held.expires_at < %2$s OR held.owner = asked.owner) THEN UPDATE SET
				    owner = asked.owner,
				    token = CASE WHEN held.expires_at < %2$s THEN GREATEST(held.token + 1, asked.token) ELSE held.token END,
				    expires_at = GREATEST(held.expires_at, asked.expires_at)
				  WHEN NOT MATCHED THEN INSERT (lock_key, owner, token, expires_at)
				    VALUES (asked.lock_key, asked.owner, asked.token, asked.expires_at))
				"""
			.formatted(name, NOW);
	}

	@Override
	AcquireResult acquire(Connection connection, String key, AcquireCommand command) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.acquire)) {
			statement.setString(1, key);
			statement.setString(2, command.owner());
			statement.setLong(3, command.ttl().toMillis());
			try (ResultSet rows = statement.executeQuery()) {
				if (rows.next()) {
					return answer(rows, command.owner());
				}
			}
		}
		return holder(connection, key, command.owner());
	}

	@Override
	void setUp(Connection connection) throws SQLException {
		super.setUp(connection);
		// In milliseconds.
		execute(connection, "SET LOCK_TIMEOUT 100");
	}

	@Override
	String put(String table, String key, List<String> others, String values) {
		return "MERGE INTO %1$s (%2$s, %3$s) KEY (%2$s) VALUES (%4$s)".formatted(table, key, String.join(", ", others),
				values);
	}

	@Override
	String deleteSome(String table, String columns, String condition) {
		return "DELETE FROM %s WHERE %s FETCH FIRST %d ROWS ONLY".formatted(table, condition, SOME);
	}

	@Override
	String home(String table) {
		return "SELECT '\"' || REPLACE(CURRENT_SCHEMA, '\"', '\"\"') || '\"'";
	}

	@Override
	Set<String> products() {
		return Set.of("H2");
	}

}
