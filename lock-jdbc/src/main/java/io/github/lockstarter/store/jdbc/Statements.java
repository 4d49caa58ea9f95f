package io.github.lockstarter.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

/**
 * Statements on one connection, in a transaction of their own or in none.
 *
 * @param <T> the type of the result
 */
@FunctionalInterface
interface Statements<T> {

	/**
	 * Runs the statements.
	 * @param prior what is known about the attempts before this one
	 */
	T run(Connection connection, PriorAttempt prior) throws SQLException;

	/**
	 * Returns the result if another transaction has locked a row for too long;
	 * {@code null} if they run again.
	 */
	default @Nullable T whenBlocked() {
		return null;
	}

	/**
	 * Returns the same statements, with that result if another transaction has locked a
	 * row for too long.
	 */
	default Statements<T> orWhenBlocked(T result) {
		return new Statements<>() {

			@Override
			public T run(Connection connection, PriorAttempt prior) throws SQLException {
				return Statements.this.run(connection, prior);
			}

			@Override
			public T whenBlocked() {
				return result;
			}

		};
	}

	/**
	 * Returns the same statements in one transaction: all of them take effect, or none.
	 */
	default Statements<T> inTransaction() {
		return (connection, prior) -> {
			connection.setAutoCommit(false);
			try {
				T result = run(connection, prior);
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
