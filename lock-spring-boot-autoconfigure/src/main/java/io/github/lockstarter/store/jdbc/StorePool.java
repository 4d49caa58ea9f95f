package io.github.lockstarter.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockConfigurationException;

/**
 * The pool of the store's own connections.
 */
final class StorePool extends HikariDataSource {

	/** The shortest time that the pool allows. */
	private static final long SHORTEST_CONNECT_MILLIS = 250;

	private final DatabaseUrl url;

	private StorePool(HikariConfig config, DatabaseUrl url) {
		super(config);
		this.url = url;
	}

	/**
	 * Creates a pool. It connects when it is first used.
	 * @param database the URL, the user, and other settings of the driver
	 * @param connections the largest number of connections
	 * @param timeout the longest time to wait for a connection
	 * @param initSql a statement for each new connection, unless the settings have one
	 * @throws LockConfigurationException if there is no driver for the URL
	 */
	static StorePool create(HikariConfig database, DatabaseUrl url, int connections, Duration timeout,
			@Nullable String initSql) {
		HikariConfig config = new HikariConfig();
		database.copyStateTo(config);
		config.setPoolName("lock-jdbc");
		config.setMaximumPoolSize(connections);
		config.setMinimumIdle(1);
		// One connection listens for notifications for as long as the application runs.
		config.setLeakDetectionThreshold(0);
		config.setConnectionTimeout(Math.max(timeout.toMillis(), SHORTEST_CONNECT_MILLIS));
		config.setValidationTimeout(Math.max(timeout.toMillis(), SHORTEST_CONNECT_MILLIS));
		config.setInitializationFailTimeout(-1);
		config.setRegisterMbeans(false);
		config.setAutoCommit(true);
		config.setReadOnly(false);
		if (config.getConnectionInitSql() == null) {
			config.setConnectionInitSql(initSql);
		}
		config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
		try {
			return new StorePool(config, url);
		}
		catch (RuntimeException ex) {
			throw url.withoutSecrets(ex);
		}
	}

	@Override
	public Connection getConnection() throws SQLException {
		try {
			return super.getConnection();
		}
		catch (SQLException ex) {
			throw this.url.withoutSecrets(ex);
		}
	}

}
