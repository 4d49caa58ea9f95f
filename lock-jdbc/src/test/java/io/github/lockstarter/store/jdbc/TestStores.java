package io.github.lockstarter.store.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import com.zaxxer.hikari.HikariConfig;

import io.github.lockstarter.store.StoreCalls;

/**
 * Several stores with one database, like instances of an application.
 */
final class TestStores implements AutoCloseable {

	private final String url;

	private final Duration timeout;

	private final List<JdbcLockStore> stores = new ArrayList<>();

	private final JdbcLockStore first;

	private final JdbcLockStore other;

	TestStores(String url) {
		this(url, Duration.ofSeconds(30));
	}

	TestStores(String url, Duration timeout) {
		this.url = url;
		this.timeout = timeout;
		this.first = another(url);
		this.other = another(url);
	}

	JdbcLockStore first() {
		return this.first;
	}

	JdbcLockStore other() {
		return this.other;
	}

	/** Returns a new instance that connects to this URL. */
	JdbcLockStore another(String url) {
		return another(url, this.timeout);
	}

	/** Returns a new instance with this timeout. */
	JdbcLockStore another(String url, Duration timeout) {
		HikariConfig database = new HikariConfig();
		database.setJdbcUrl(url);
		return another(database, timeout);
	}

	/** Returns a new instance with these settings of the application. */
	JdbcLockStore another(HikariConfig database, Duration timeout) {
		JdbcLockStore store = new JdbcLockStore(
				JdbcLockStoreSettings.of(database).withCreateTables(true).withCommandTimeout(timeout));
		store.afterPropertiesSet();
		this.stores.add(store);
		return store;
	}

	String url() {
		return this.url;
	}

	/**
	 * Removes the rows of free locks and of expired results over connections of a store,
	 * as a store does after some time.
	 */
	void purge() {
		HikariConfig database = new HikariConfig();
		database.setJdbcUrl(this.url);
		DatabaseUrl url = new DatabaseUrl(this.url);
		LockTable locks = url.database().locks("locks", "test");
		StoreCalls calls = new StoreCalls("jdbc", this.timeout);
		Connections connections = new Connections(StorePool.create(database, url, 2, this.timeout, locks), 2, calls);
		try {
			new Purge(locks, new ResultTable(locks, "locks"), connections.callers()).begin(Duration.ZERO)
				.toCompletableFuture()
				.join();
		}
		finally {
			connections.close();
			calls.close();
		}
	}

	/** Returns the number of rows. */
	long rows(String table) {
		return query("SELECT count(*) FROM " + table);
	}

	/** Returns the number of held locks. */
	long held() {
		String now = Database.of(this.url).orElseThrow().locks("locks", "test").now();
		return query("SELECT count(*) FROM locks WHERE expires_at >= " + now);
	}

	/** Returns the numeric result of a query. */
	long query(String query) {
		try (Connection connection = connection();
				Statement statement = connection.createStatement();
				ResultSet rows = statement.executeQuery(query)) {
			rows.next();
			return rows.getLong(1);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Executes a statement over a new connection. */
	void execute(String... statements) {
		try (Connection connection = connection(); Statement statement = connection.createStatement()) {
			for (String sql : statements) {
				statement.execute(sql);
			}
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Returns a connection of the application. */
	Connection connection() throws SQLException {
		return DriverManager.getConnection(this.url);
	}

	@Override
	public void close() {
		this.stores.forEach(JdbcLockStore::destroy);
	}

}
