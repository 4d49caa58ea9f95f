package io.github.lockstarter.benchmarks.measure;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PostgreSqlServerTests {

	@Test
	@DisplayName("Statements are counted exactly, inside and outside a transaction; a transaction counts as one more")
	void count() throws Exception {
		try (PostgreSqlServer server = new PostgreSqlServer()) {
			assertThat(server.count(() -> {
			})).isZero();
			assertThat(server.count(() -> execute(server, true, "SELECT 1", "SELECT 2", "SELECT pg_sleep(0)")))
				.isEqualTo(3);
			assertThat(server.count(() -> execute(server, false, "SELECT 1", "SELECT 2"))).isEqualTo(3);
			assertThat(server.processorSeconds()).isPositive();
			assertThat(server.version()).startsWith("1");
		}
	}

	@Test
	@DisplayName("All tables are emptied, but not dropped")
	void clear() throws Exception {
		try (PostgreSqlServer server = new PostgreSqlServer()) {
			server.clear();
			execute(server, true, "CREATE TABLE a (b int)", "CREATE TABLE c (d int)", "INSERT INTO a VALUES (1)");
			server.clear();
			assertThat(execute(server, true, "SELECT * FROM a", "INSERT INTO a VALUES (1)", "DELETE FROM a"))
				.isEqualTo(1);
		}
	}

	/** Returns the number of rows that the last statement changed. */
	private static int execute(PostgreSqlServer server, boolean autoCommit, String... statements) throws SQLException {
		try (Connection connection = DriverManager.getConnection(server.address().url());
				Statement statement = connection.createStatement()) {
			connection.setAutoCommit(autoCommit);
			for (String each : statements) {
				statement.execute(each);
			}
			if (!autoCommit) {
				connection.commit();
			}
			return statement.getUpdateCount();
		}
	}

}
