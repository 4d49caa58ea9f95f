package io.github.lockstarter.autoconfigure;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * Properties of the JDBC store.
 *
 * @param url JDBC URL of the database. Default is the database of the application's
 * DataSource, with the current user and password of that DataSource.
 * @param username User of the database, if the URL is set.
 * @param password Password of the user, if the URL is set.
 * @param table Name of the table of locks. The table of results has the same name with
 * the suffix _results, or _RESULTS after a name in upper case. Applications with the same
 * tables share their locks.
 * @param initializeSchema When to create the tables if they do not exist.
 * @param connections Number of connections of the store, each of which runs one statement
 * at a time, from 2 to 100: half of them for callers that acquire a lock, and half for
 * holders. With PostgreSQL, one more connection receives notifications.
 * @param commandTimeout How long to wait for an answer from the database before the
 * request gets status 503.
 */
@ConfigurationProperties("lock.jdbc")
record JdbcProperties(@Nullable String url, @Nullable String username, @Nullable String password,
		@DefaultValue("locks") String table, @DefaultValue("embedded") InitializeSchema initializeSchema,
		@DefaultValue("4") int connections, @DefaultValue("3s") Duration commandTimeout) {

	private static final int MOST_CONNECTIONS = 100;

	JdbcProperties {
		LockProperties.check("lock.jdbc.connections", connections, JdbcProperties::checkConnections);
		LockProperties.check("lock.jdbc.command-timeout", commandTimeout, LockProperties::checkTimeout);
	}

	private static void checkConnections(int connections) {
		Assert.isTrue(connections >= 2 && connections <= MOST_CONNECTIONS,
				"There must be at least 2 connections, and at most " + MOST_CONNECTIONS);
	}

	/** Does not contain the URL and the password. */
	@Override
	public String toString() {
		return "JdbcProperties[table=%s, initializeSchema=%s, connections=%s, commandTimeout=%s]".formatted(this.table,
				this.initializeSchema, this.connections, this.commandTimeout);
	}

	/** When to create the tables. */
	enum InitializeSchema {

		/** In an embedded database. */
		EMBEDDED,

		/** In any database. */
		ALWAYS,

		/** Never. */
		NEVER

	}

}
