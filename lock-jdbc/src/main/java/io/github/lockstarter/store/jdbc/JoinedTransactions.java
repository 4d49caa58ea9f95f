package io.github.lockstarter.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import javax.sql.DataSource;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.StoredResult;

/**
 * Transactions of the application on the database of the locks. A transaction that checks
 * a lock also locks its row, so no other owner can be granted the lock until it has
 * ended. A result that is kept in a transaction exists exactly if the changes of the
 * transaction do.
 */
final class JoinedTransactions {

	private static final Log logger = LogFactory.getLog(JoinedTransactions.class);

	private final DataSource dataSource;

	private final LockTable locks;

	private final ResultTable results;

	private final Connections own;

	/** Whether the connections of the transactions may be to several databases. */
	private final boolean routes;

	/** Where the locks are. Looked up once. */
	private volatile @Nullable Place home;

	private volatile @Nullable Integer defaultIsolation;

	/** The names of the locks for which a warning has been logged. */
	private final Set<String> reported = ConcurrentHashMap.newKeySet();

	/**
	 * Creates the statements in transactions.
	 * @param dataSource the data source of the transactions of the application
	 * @param own the connections of the store
	 */
	JoinedTransactions(DataSource dataSource, LockTable locks, ResultTable results, Connections own) {
		this.dataSource = target(dataSource);
		this.locks = locks;
		this.results = results;
		this.own = own;
		this.routes = routes(dataSource);
	}

	private static boolean routes(DataSource dataSource) {
		try {
			return dataSource.isWrapperFor(AbstractRoutingDataSource.class);
		}
		catch (SQLException ex) {
			return false;
		}
	}

	/**
	 * Returns the data source for which a transaction manager registers its connections.
	 */
	private static DataSource target(DataSource dataSource) {
		DataSource target = (dataSource instanceof TransactionAwareDataSourceProxy proxy) ? proxy.getTargetDataSource()
				: null;
		return (target != null) ? target : dataSource;
	}

	/** Returns whether the lock is held, or the transaction uses another database. */
	boolean holdUntilCommit(LockRow row, long token, Object transaction) {
		return !isOurs(transaction) || run(row.lock(), (connection, prior) -> !isAtHome(row.lock(), connection)
				|| !canCheck(connection) || this.locks.holdUntilCommit(connection, row.key(), token));
	}

	/**
	 * Returns whether the connection is to the database of the locks. A data source that
	 * routes, for example to the databases of tenants, may have chosen another one.
	 */
	private boolean isAtHome(LockKey key, Connection connection) throws SQLException {
		if (!this.routes) {
			return true;
		}
		Place home = this.home;
		if (home == null) {
			try (Connection own = this.own.borrow()) {
				home = Place.of(own);
			}
			this.home = home;
		}
		boolean same = home.equals(Place.of(connection));
		if (!same) {
			report(key);
		}
		return same;
	}

	private void report(LockKey key) {
		if (this.reported.add(key.name())) {
			logger
				.warn(("The transaction under lock '%s' cannot be joined by the lock store, so a lost lease can commit,"
						+ " and a result is stored after the commit: a duplicate repeats the work if the instance crashes in"
						+ " between")
					.formatted(key.name()));
		}
	}

	/**
	 * Returns whether the transaction sees the current state of the row, even if the row
	 * was changed after the transaction began, for example by a renewal. The default
	 * isolation level is looked up once.
	 */
	private boolean canCheck(Connection connection) throws SQLException {
		if (!this.locks.failsSnapshots(connection)) {
			return true;
		}
		Integer isolation = TransactionSynchronizationManager.getCurrentTransactionIsolationLevel();
		if (isolation == null) {
			isolation = this.defaultIsolation;
		}
		if (isolation == null) {
			isolation = connection.getTransactionIsolation();
			this.defaultIsolation = isolation;
		}
		return isolation <= Connection.TRANSACTION_READ_COMMITTED;
	}

	/**
	 * Keeps a result, if the transaction is on the database of the locks.
	 * @param committed runs when the transaction has been committed
	 */
	void keep(LockRow row, StoredResult result, Object transaction, Runnable committed) {
		if (!isOurs(transaction)) {
			report(row.lock());
		}
		else if (run(row.lock(),
				(connection, prior) -> isAtHome(row.lock(), connection) && put(connection, row, result))
				&& TransactionSynchronizationManager.isSynchronizationActive()) {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCommit() {
					committed.run();
				}

			});
		}
	}

	private boolean put(Connection connection, LockRow row, StoredResult result) throws SQLException {
		this.results.put(connection, row, result);
		return true;
	}

	/**
	 * A connection that is bound to the thread is not sufficient: in a transaction on
	 * another database, that connection has no transaction.
	 */
	private boolean isOurs(Object transaction) {
		return TransactionSynchronizationManager.isActualTransactionActive()
				&& transaction instanceof JdbcTransactionObjectSupport jdbc && jdbc.hasConnectionHolder()
				&& jdbc.getConnectionHolder() == TransactionSynchronizationManager.getResource(this.dataSource);
	}

	private boolean run(LockKey key, Statements<Boolean> statements) {
		Connection connection = DataSourceUtils.getConnection(this.dataSource);
		try {
			return statements.run(connection, PriorAttempt.NOT_EXECUTED);
		}
		catch (SQLException ex) {
			logger.warn("A transaction under lock '%s' is rolled back, because it could not join the lock: %s"
				.formatted(key.name(), ex.getMessage()));
			throw new LockStoreException(key, "the transaction could not join the lock: " + ex.getMessage(), ex);
		}
		finally {
			DataSourceUtils.releaseConnection(connection, this.dataSource);
		}
	}

	/**
	 * A database, and the schema in which names of tables are looked up.
	 */
	private record Place(@Nullable String url, @Nullable String catalog, @Nullable String schema) {

		static Place of(Connection connection) throws SQLException {
			return new Place(connection.getMetaData().getURL(), connection.getCatalog(), connection.getSchema());
		}

	}

}
