package io.github.lockstarter.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockStoreException;

/**
 * Transactions of the application on the database of the locks. A transaction that checks
 * a lock also locks its row, so no other owner can be granted the lock until it has
 * ended.
 */
final class JoinedTransactions {

	private final DataSource dataSource;

	private final LockTable locks;

	/**
	 * Creates the check.
	 * @param dataSource what the transactions of the application are on
	 */
	JoinedTransactions(DataSource dataSource, LockTable locks) {
		this.dataSource = dataSource;
		this.locks = locks;
	}

	/** Returns whether the lock is held, or the thread has no such transaction. */
	boolean holdUntilCommit(LockKey key, String rowKey, long token) {
		boolean joined = TransactionSynchronizationManager.isActualTransactionActive()
				&& TransactionSynchronizationManager.getResource(this.dataSource) instanceof ConnectionHolder;
		if (!joined
				|| !this.locks.canCheckAt(TransactionSynchronizationManager.getCurrentTransactionIsolationLevel())) {
			return true;
		}
		Connection connection = DataSourceUtils.getConnection(this.dataSource);
		try {
			return this.locks.holdUntilCommit(connection, rowKey, token);
		}
		catch (SQLException ex) {
			throw new LockStoreException(key, "the lease could not be checked before the commit", ex);
		}
		finally {
			DataSourceUtils.releaseConnection(connection, this.dataSource);
		}
	}

}
