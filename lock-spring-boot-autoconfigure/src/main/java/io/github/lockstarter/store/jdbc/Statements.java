package io.github.lockstarter.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Statements on one connection, in a transaction of their own or in none.
 *
 * @param <T> what they result in
 */
@FunctionalInterface
interface Statements<T> {

	/**
	 * Runs them.
	 * @param mayBeDone whether they may have been done already, as the connection was
	 * lost
	 */
	T run(Connection connection, boolean mayBeDone) throws SQLException;

	/** Returns the same statements, which are done all, or none of them. */
	default Statements<T> inTransaction() {
		return (connection, mayBeDone) -> {
			connection.setAutoCommit(false);
			try {
				T result = run(connection, mayBeDone);
				connection.commit();
				return result;
			}
			catch (SQLException ex) {
				connection.rollback();
				throw ex;
			}
		};
	}

}
