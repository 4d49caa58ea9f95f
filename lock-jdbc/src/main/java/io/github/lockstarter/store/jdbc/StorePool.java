package io.github.lockstarter.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariCredentialsProvider;
import com.zaxxer.hikari.HikariDataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockConfigurationException;

/**
 * The pool of the store's own connections. They are made with the settings of the
 * application, and with the credentials that it uses at that moment.
 */
final class StorePool extends HikariDataSource {

	private static final Log logger = LogFactory.getLog(StorePool.class);

	/** The shortest time that the pool allows. */
	private static final long SHORTEST_CONNECT_MILLIS = 250;

	/** The shortest time between two replacements of all connections. */
	private static final long REPLACED_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** A replacement within this time of the previous one is not logged. */
	private static final long LOGGED_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final DatabaseUrl url;

	private final LockTable locks;

	/** The connections of the driver that have worked. Guarded by itself. */
	private final Set<Connection> known = Collections.newSetFromMap(new IdentityHashMap<>());

	/** Attempts of the pool to open connections. */
	private final Backoff openings = new Backoff();

	/** Attempts to use new connections. */
	private final Backoff attempts = new Backoff();

	/** Changed only while this is locked. */
	private volatile int generation;

	/** Guarded by this. */
	private long replacedAt = System.nanoTime() - LOGGED_NANOS;

	private StorePool(HikariConfig config, DatabaseUrl url, LockTable locks) {
		super(config);
		this.url = url;
		this.locks = locks;
	}

	/**
	 * Creates a pool. It connects when it is first used.
	 * @param database the URL, the user, and other settings of the driver. The user and
	 * the password are read again for each new connection
	 * @param connections the largest number of connections
	 * @param timeout the longest time to wait for a connection
	 * @param locks the table that the connections are for
	 * @throws LockConfigurationException if there is no driver for the URL
	 */
	static StorePool create(HikariConfig database, DatabaseUrl url, int connections, Duration timeout,
			LockTable locks) {
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
		// Behind a pooler, it would change the transactions of the application.
		config.setTransactionIsolation(null);
		HikariCredentialsProvider credentials = database.getCredentialsProvider();
		config.setCredentialsProvider((credentials != null) ? credentials : database::getCredentials);
		try {
			return new StorePool(config, url, locks);
		}
		catch (RuntimeException ex) {
			throw url.withoutSecrets(ex);
		}
	}

	/**
	 * After a connection could not be opened in time, one caller a second waits for the
	 * pool, which continues to try. The others fail without waiting.
	 */
	@Override
	public Connection getConnection() throws SQLException {
		SQLException last = (getHikariPoolMXBean().getTotalConnections() == 0) ? this.openings.begin() : null;
		if (last != null) {
			throw new SQLTransientConnectionException(last.getMessage(), last.getSQLState(), last);
		}
		try {
			Connection connection = super.getConnection();
			this.openings.succeeded();
			return connection;
		}
		catch (SQLException ex) {
			SQLException failure = this.url.withoutSecrets(ex);
			if (failure.getCause() instanceof SQLException reason) {
				this.openings.failedRepeatedly(reason);
			}
			throw failure;
		}
	}

	/** Returns the table that the connections are for. */
	LockTable locks() {
		return this.locks;
	}

	/** Returns why no connection works; {@code null} if one does. */
	@Nullable SQLException lastFailure() {
		synchronized (this.known) {
			if (!this.known.stream().allMatch(StorePool::isClosed)) {
				return null;
			}
		}
		SQLException failure = this.openings.failure();
		return (failure != null) ? failure : this.attempts.failure();
	}

	/** Returns whether the connection has not worked yet. */
	boolean isNew(Connection connection) throws SQLException {
		Connection ofDriver = connection.unwrap(Connection.class);
		synchronized (this.known) {
			return !this.known.contains(ofDriver);
		}
	}

	/**
	 * Sets up a new connection. That is after the initial statement of the application,
	 * which may change the same settings.
	 */
	void setUp(Connection connection) throws SQLException {
		Connection ofDriver = connection.unwrap(Connection.class);
		this.locks.setUp(ofDriver);
		this.locks.findHome(ofDriver);
	}

	/** Remembers a new connection over which the database has answered. */
	void worked(Connection connection) throws SQLException {
		Connection ofDriver = connection.unwrap(Connection.class);
		synchronized (this.known) {
			this.known.removeIf(StorePool::isClosed);
			this.known.add(ofDriver);
		}
		this.attempts.succeeded();
	}

	/** Returns the attempts to use new connections. */
	Backoff attempts() {
		return this.attempts;
	}

	private static boolean isClosed(Connection connection) {
		try {
			return connection.isClosed();
		}
		catch (SQLException ex) {
			return true;
		}
	}

	/** Returns the number of times that all connections were replaced. */
	int generation() {
		return this.generation;
	}

	/**
	 * Replaces all connections, because the server at their other end accepts no changes:
	 * another one may have become the primary. They are replaced at most once a second.
	 * @param generation the generation when the failed connection was borrowed
	 * @return whether the statement may be repeated over a new connection
	 */
	synchronized boolean replace(int generation, SQLException failure) {
		if (generation != this.generation) {
			return true;
		}
		long age = System.nanoTime() - this.replacedAt;
		if (age < REPLACED_NANOS) {
			return false;
		}
		this.generation++;
		this.replacedAt = System.nanoTime();
		getHikariPoolMXBean().softEvictConnections();
		if (age >= LOGGED_NANOS) {
			logger.warn(("The database accepts no changes, so the lock store has replaced its connections, and replaces"
					+ " them again while this is so: %s")
				.formatted(failure.getMessage()));
		}
		return true;
	}

}
