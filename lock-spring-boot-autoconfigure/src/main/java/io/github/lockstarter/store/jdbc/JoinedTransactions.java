package io.github.lockstarter.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.StoredResult;

/**
 * Transactions of the application on the database of the locks. A transaction that checks
 * a lock also locks its row, so no other owner can be granted the lock until it has
 * ended. A result that is kept in a transaction is there exactly if its changes are.
 */
final class JoinedTransactions {

	private final DataSource dataSource;

	private final LockTable locks;

	private final ResultTable results;

	/**
	 * Creates the statements in transactions.
	 * @param dataSource what the transactions of the application are on
	 */
	JoinedTransactions(DataSource dataSource, LockTable locks, ResultTable results) {
		this.dataSource = dataSource;
		this.locks = locks;
		this.results = results;
	}

	/** Returns whether the lock is held, or the thread has no such transaction. */
	boolean holdUntilCommit(LockKey key, String rowKey, long token) {
		if (!isPresent()
				|| !this.locks.canCheckAt(TransactionSynchronizationManager.getCurrentTransactionIsolationLevel())) {
			return true;
		}
		return run(key, (connection, mayBeDone) -> this.locks.holdUntilCommit(connection, rowKey, token));
	}

	/** Keeps a result, if the thread has such a transaction. */
	void keep(LockKey key, String rowKey, StoredResult result) {
		if (isPresent()) {
			run(key, (connection, mayBeDone) -> {
				this.results.put(connection, rowKey, result);
				return true;
			});
		}
	}

	private boolean isPresent() {
		return TransactionSynchronizationManager.isActualTransactionActive()
				&& TransactionSynchronizationManager.getResource(this.dataSource) instanceof ConnectionHolder;
	}

	private boolean run(LockKey key, Connections.Statements<Boolean> statements) {
		Connection connection = DataSourceUtils.getConnection(this.dataSource);
		try {
			return statements.run(connection, false);
		}
		catch (SQLException ex) {
			throw new LockStoreException(key, "the transaction could not join the lock: " + ex.getMessage(), ex);
		}
		finally {
			DataSourceUtils.releaseConnection(connection, this.dataSource);
		}
	}

}
