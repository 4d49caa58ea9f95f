package io.github.lockstarter.store.jdbc;

import java.time.Duration;
import java.util.regex.Pattern;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * The settings of a {@link JdbcLockStore}.
 *
 * @param database the URL, the user, and other settings of the driver. If a
 * {@link HikariConfig#getDataSource() data source} connects, the URL still tells which
 * database it is. The user and the password are read again for each new connection. The
 * store sets the size and the timeouts of the pool
 * @param connections the number of statements that run concurrently, at least 2. Half of
 * them are reserved for holders, which renew and release. If the database notifies, one
 * more connection is used. 4 by default
 * @param table the name of the table of locks, {@code locks} by default. The name of the
 * table of results has the suffix {@code _results}, or {@code _RESULTS} after a name in
 * upper case. Applications with the same tables share their locks
 * @param createTables whether to create the tables if there are none; not by default
 * @param commandTimeout the longest time to wait for an answer, 3 s by default
 * @param applicationDataSource the data source of the transactions of the application, if
 * it is the same database: the transactions then check their locks before the commit.
 * {@code null}, the default, for none
 */
public record JdbcLockStoreSettings(HikariConfig database, int connections, String table, boolean createTables,
		Duration commandTimeout, @Nullable DataSource applicationDataSource) {

	/**
	 * The name of the table of results is longer, and PostgreSQL limits names to 63
	 * characters.
	 */
	private static final Pattern TABLE = Pattern.compile("(?=.{1,50}$)(\\w+\\.)?[A-Za-z_]\\w*");

	/**
	 * Checks the settings.
	 * @throws IllegalArgumentException if there are fewer than 2 connections, or the name
	 * of the table is not allowed
	 */
	public JdbcLockStoreSettings {
		Assert.isTrue(connections >= 2, "There must be at least two connections: one for holders, and one for callers");
		checkTable(table);
	}

	/** Returns the default settings for a database. */
	public static JdbcLockStoreSettings of(HikariConfig database) {
		return new JdbcLockStoreSettings(database, 4, "locks", false, Duration.ofSeconds(3), null);
	}

	/**
	 * Checks the name of a table.
	 * @throws IllegalArgumentException if the name is not allowed
	 */
	public static void checkTable(String table) {
		Assert.isTrue(TABLE.matcher(table).matches(),
				"The name of a table consists of letters, digits and '_', and does not begin with a digit. A schema and a dot can precede it. All of it has at most 50 characters");
	}

	/** Returns these settings with another number of connections. */
	public JdbcLockStoreSettings withConnections(int connections) {
		return new JdbcLockStoreSettings(this.database, connections, this.table, this.createTables, this.commandTimeout,
				this.applicationDataSource);
	}

	/** Returns these settings with another table. */
	public JdbcLockStoreSettings withTable(String table) {
		return new JdbcLockStoreSettings(this.database, this.connections, table, this.createTables, this.commandTimeout,
				this.applicationDataSource);
	}

	/** Returns these settings with whether to create the tables. */
	public JdbcLockStoreSettings withCreateTables(boolean createTables) {
		return new JdbcLockStoreSettings(this.database, this.connections, this.table, createTables, this.commandTimeout,
				this.applicationDataSource);
	}

	/** Returns these settings with another timeout. */
	public JdbcLockStoreSettings withCommandTimeout(Duration commandTimeout) {
		return new JdbcLockStoreSettings(this.database, this.connections, this.table, this.createTables, commandTimeout,
				this.applicationDataSource);
	}

	/** Returns these settings with the data source of the application's transactions. */
	public JdbcLockStoreSettings withApplicationDataSource(@Nullable DataSource applicationDataSource) {
		return new JdbcLockStoreSettings(this.database, this.connections, this.table, this.createTables,
				this.commandTimeout, applicationDataSource);
	}

}
