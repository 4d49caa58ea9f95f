package io.github.lockstarter.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

import com.zaxxer.hikari.HikariDataSource;

/**
 * The connections of the store. Some of them are for holders only, who renew and release:
 * whatever callers wait for, holders do not wait behind them.
 */
final class Connections {

	private final HikariDataSource pool;

	private final ConnectionLane callers;

	private final ConnectionLane holders;

	/**
	 * Divides the connections of a pool.
	 * @param pool has that many connections, or more
	 * @param locks what the connections are for
	 * @param connections how many statements run at a time; at least two
	 * @param timeout how long a statement is waited for, and whatever comes before it
	 */
	Connections(HikariDataSource pool, LockTable locks, int connections, Duration timeout) {
		this.pool = pool;
		this.callers = new ConnectionLane("lock-jdbc-", pool, connections - connections / 2, 0, locks, timeout);
		this.holders = new ConnectionLane("lock-jdbc-holders-", pool, connections / 2, 1, locks, timeout);
	}

	/** Returns those for callers, and for statements that nobody waits for. */
	ConnectionLane callers() {
		return this.callers;
	}

	/** Returns those for holders. */
	ConnectionLane holders() {
		return this.holders;
	}

	/** Waits for a connection, and returns it. It has to be closed. */
	Connection borrow() throws SQLException {
		return this.pool.getConnection();
	}

	/** Closes a connection that is of no use to others. */
	void evict(Connection connection) {
		this.pool.evictConnection(connection);
	}

	void close() {
		this.callers.close();
		this.holders.close();
		this.pool.close();
	}

}
