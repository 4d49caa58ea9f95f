package io.github.lockstarter.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

import io.github.lockstarter.store.StoreCalls;

/**
 * The connections of the store. Some of them are reserved for holders, which renew and
 * release, so that holders never wait behind callers that acquire locks.
 */
final class Connections {

	private final StorePool pool;

	private final ConnectionLane callers;

	private final ConnectionLane holders;

	/**
	 * Divides the connections of a pool.
	 * @param pool the pool, with at least that many connections
	 * @param connections the number of statements that run concurrently; at least two
	 * @param calls the timeout of a statement, including the wait for a connection, and
	 * its clock
	 */
	Connections(StorePool pool, int connections, StoreCalls calls) {
		this.pool = pool;
		this.callers = new ConnectionLane("lock-jdbc-", pool, connections - connections / 2, 0, calls);
		this.holders = new ConnectionLane("lock-jdbc-holders-", pool, connections / 2, 1, calls);
	}

	/** Returns the connections for callers, and for background statements. */
	ConnectionLane callers() {
		return this.callers;
	}

	/** Returns the connections for holders. */
	ConnectionLane holders() {
		return this.holders;
	}

	/** Waits for a connection and returns it. The caller has to close it. */
	Connection borrow() throws SQLException {
		Connection connection = this.pool.getConnection();
		try {
			connection.setNetworkTimeout(Runnable::run, (int) this.pool.getValidationTimeout());
			if (this.pool.isNew(connection)) {
				this.pool.setUp(connection);
			}
			return connection;
		}
		catch (SQLException ex) {
			this.pool.evictConnection(connection);
			throw ex;
		}
	}

	/** Returns the number of times that all connections were replaced. */
	int generation() {
		return this.pool.generation();
	}

	/** Closes a connection that must not be reused. */
	void evict(Connection connection) {
		this.pool.evictConnection(connection);
	}

	void close() {
		this.callers.close();
		this.holders.close();
		this.pool.close();
	}

}
