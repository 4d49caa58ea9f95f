package io.github.lockstarter.benchmarks.measure;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A connection for queries about a database server itself.
 */
final class SqlConsole implements AutoCloseable {

	private final Connection connection;

	SqlConsole(String url) {
		try {
			this.connection = DriverManager.getConnection(url);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	void execute(String sql) {
		try (Statement statement = this.connection.createStatement()) {
			statement.execute(sql);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Returns the only value of the result; an empty one if that is {@code null}. */
	String query(String sql) {
		try (Statement statement = this.connection.createStatement(); ResultSet rows = statement.executeQuery(sql)) {
			rows.next();
			String value = rows.getString(1);
			return (value != null) ? value : "";
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		try {
			this.connection.close();
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
