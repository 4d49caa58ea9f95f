package io.github.lockstarter.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.AcquireResult.Held;

/**
 * The table of locks and its statements. It has one row for each lock that is held, or
 * was held recently.
 *
 * <pre>
 * lock_key     registration:taro
 * owner        the last owner
 * token        the last fencing token
 * expires_at   the end of the lease; in the past for a lock that is free
 * </pre>
 *
 * Times are milliseconds since 1970 on the clock of the database, independent of time
 * zones. The row of a released lock is kept for a while, so that its fencing token
 * continues from there. The first token of a row is the current time, which is larger
 * than the last token of any row that has been removed.
 */
abstract class LockTable {

	/**
	 * A row is removed only if its token is at least this much less than the current
	 * time. So no fencing token is granted twice, even if the clock of the database is
	 * set back by as much, or a statement takes as long.
	 */
	static final Duration KEPT = Duration.ofMinutes(5);

	/** The number of rows that are deleted well within the timeout of a statement. */
	static final int SOME = 1000;

	/** Only a transaction of other code locks a row for longer. */
	static final int LONGEST_WAIT_SECONDS = 10;

	private static final int ROW_WAIT_MILLIS = 1200;

	private static final Pattern MARKER = Pattern.compile("[?]");

	private final String name;

	private final String now;

	private final String renew;

	private final String release;

	private final String releaseAfter;

	private final String isLastOwner;

	private final String find;

	private final AtHome holdUntilCommit;

	private final AtHome exists;

	private volatile @Nullable Boolean failsSnapshots;

	/** The prefix of names outside of the connections of the store, once it is known. */
	private volatile @Nullable String home;

	/**
	 * Creates the statements.
	 * @param name the name of the table
	 * @param now the expression for the time
	 */
	LockTable(String name, String now) {
		this(name, now, "");
	}

	/**
	 * Creates the statements.
	 * @param name the name of the table
	 * @param now the expression for the time
	 * @param setting the prefix of a statement that may wait for a row: a table named
	 * {@code setting}, or empty
	 */
	LockTable(String name, String now, String setting) {
		this.name = name;
		this.now = now;
		this.renew = """
				%3$s UPDATE %1$s SET expires_at = GREATEST(expires_at + 1, %2$s + ?) %4$s
				WHERE lock_key = ? AND owner = ? AND expires_at >= %2$s
				""".formatted(name, now, setting, setting.isEmpty() ? "" : "FROM setting");
		this.release = """
				UPDATE %1$s SET expires_at = 0
				WHERE lock_key = ? AND owner = ? AND expires_at >= %2$s
				""".formatted(name, now);
		this.releaseAfter = """
				UPDATE %1$s SET owner = ?, expires_at = %2$s + ?
				WHERE lock_key = ? AND owner = ? AND expires_at >= %2$s
				""".formatted(name, now);
		this.isLastOwner = "SELECT 1 FROM %s WHERE lock_key = ? AND owner = ?".formatted(name);
		this.find = "SELECT owner, token, expires_at - %2$s FROM %1$s WHERE lock_key = ? AND expires_at >= %2$s"
			.formatted(name, now);
		this.holdUntilCommit = new AtHome(name, this::holdUntilCommit);
		this.exists = new AtHome(name, "SELECT 1 FROM %s WHERE lock_key = ?"::formatted);
	}

	/**
	 * Acquires the lock if it is free, or if the owner holds it already. The latter keeps
	 * the fencing token, because a repeated statement may be executed late.
	 */
	abstract AcquireResult acquire(Connection connection, String key, AcquireCommand command) throws SQLException;

	/** Returns the result of an acquisition, from the state of the row after it. */
	static AcquireResult answer(ResultSet row, String owner) throws SQLException {
		return owner.equals(row.getString(1)) ? new Granted(row.getLong(2)) : held(row);
	}

	private static Held held(ResultSet row) throws SQLException {
		return new Held(Duration.ofMillis(Math.max(row.getLong(3), 1)), row.getLong(2));
	}

	/**
	 * Returns who holds the lock after a statement that has not returned a grant. The
	 * lock may have been released in the meantime.
	 */
	final AcquireResult holder(Connection connection, String key, String owner) throws SQLException {
		return read(connection, key, (row) -> answer(row, owner)).orElseGet(() -> new Held(Duration.ZERO));
	}

	/** Returns the holder of the lock. */
	final Optional<Held> find(Connection connection, String key) throws SQLException {
		return read(connection, key, LockTable::held);
	}

	private <T> Optional<T> read(Connection connection, String key, RowReader<T> reader) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.find)) {
			statement.setString(1, key);
			try (ResultSet rows = statement.executeQuery()) {
				return rows.next() ? Optional.of(reader.read(rows)) : Optional.empty();
			}
		}
	}

	final boolean renew(Connection connection, String key, String owner, Duration ttl) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.renew)) {
			setRenewal(statement, new Renewed(key, owner, ttl));
			return statement.executeUpdate() == 1;
		}
	}

	/** Returns the number of changed rows for each renewal. */
	final int[] renewAll(Connection connection, List<Renewed> renewals) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.renew)) {
			for (Renewed each : renewals) {
				setRenewal(statement, each);
				statement.addBatch();
			}
			return statement.executeBatch();
		}
	}

	private static void setRenewal(PreparedStatement statement, Renewed renewal) throws SQLException {
		statement.setLong(1, renewal.ttl().toMillis());
		statement.setString(2, renewal.key());
		statement.setString(3, renewal.owner());
	}

	/**
	 * Releases the lock.
	 * @return whether the owner held it
	 */
	boolean release(Connection connection, String key, String owner) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.release)) {
			statement.setString(1, key);
			statement.setString(2, owner);
			return statement.executeUpdate() == 1;
		}
	}

	/** Returns whether the lock was last granted to the owner. */
	final boolean isLastOwner(Connection connection, String key, String owner) throws SQLException {
		return returnsRow(connection, this.isLastOwner, key, owner);
	}

	/**
	 * Keeps the lock unavailable to all callers for a while, if the owner still holds it.
	 * @param ended the owner from then on
	 */
	final boolean releaseAfter(Connection connection, String key, String owner, String ended, Duration time)
			throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(releaseAfter())) {
			statement.setString(1, ended);
			statement.setLong(2, time.toMillis());
			statement.setString(3, key);
			statement.setString(4, owner);
			statement.execute();
			try (ResultSet rows = statement.getResultSet()) {
				return (rows != null) ? rows.next() : statement.getUpdateCount() > 0;
			}
		}
	}

	/** Returns the statement of a release that keeps the lock unavailable for a while. */
	String releaseAfter() {
		return this.releaseAfter;
	}

	/** Executes a statement without parameters. */
	static void execute(Connection connection, String sql) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			statement.execute(sql);
		}
	}

	/** Executes a statement with two parameters. */
	static boolean returnsRow(Connection connection, String sql, String key, Object other) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(sql)) {
			statement.setString(1, key);
			statement.setObject(2, other);
			try (ResultSet rows = statement.executeQuery()) {
				return rows.next();
			}
		}
	}

	/**
	 * Locks the row of a lock, in the transaction of the connection.
	 * @return whether the lock is held with that token
	 */
	boolean holdUntilCommit(Connection connection, String key, long token) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(holdUntilCommit())) {
			statement.setString(1, key);
			statement.setLong(2, token);
			int before = statement.getQueryTimeout();
			statement.setQueryTimeout(LONGEST_WAIT_SECONDS);
			try (ResultSet rows = statement.executeQuery()) {
				return rows.next();
			}
			finally {
				// A timeout of H2 belongs to the connection.
				statement.setQueryTimeout(before);
			}
		}
	}

	/** Returns the statement that locks the row of a lock, with its key and token. */
	final String holdUntilCommit() {
		return this.holdUntilCommit.get();
	}

	/** Returns the statement that locks the row of a lock in the table with that name. */
	String holdUntilCommit(String table) {
		return "SELECT 1 FROM %1$s WHERE lock_key = ? AND token = ? AND expires_at >= %2$s FOR UPDATE".formatted(table,
				this.now);
	}

	/** Returns the statement that finds the row of a lock, with its key. */
	final String exists() {
		return this.exists.get();
	}

	/**
	 * Returns the query for the quoted name of the schema in which the table is, or will
	 * be created.
	 */
	abstract String home(String table);

	/** Returns the names by which R2DBC drivers know this database. */
	abstract Set<String> products();

	/**
	 * Returns a statement with the markers of parameters that R2DBC drivers of this
	 * database understand. By default they are numbered.
	 */
	String withMarkers(String sql) {
		AtomicInteger number = new AtomicInteger();
		return MARKER.matcher(sql).replaceAll((marker) -> "\\$" + number.incrementAndGet());
	}

	/**
	 * Returns the query for the setting which tells whether a transaction with a snapshot
	 * fails if it locks a row that was changed after the snapshot; {@code null} if it
	 * always does.
	 */
	@Nullable String snapshotSetting() {
		return null;
	}

	/**
	 * Returns whether a transaction with a snapshot fails if it locks a row that was
	 * changed after the snapshot. The setting is looked up once.
	 */
	final boolean failsSnapshots(Connection connection) throws SQLException {
		String setting = snapshotSetting();
		if (setting == null) {
			return true;
		}
		Boolean known = this.failsSnapshots;
		if (known == null) {
			try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery(setting)) {
				known = rows.next() && "ON".equalsIgnoreCase(rows.getString(2));
			}
			this.failsSnapshots = known;
		}
		return known;
	}

	/**
	 * Returns whether an acquisition is always one statement, and the driver bounds the
	 * wait for its answer.
	 */
	boolean boundsAcquisitions() {
		return false;
	}

	/** Removes rows of locks that have been free for a while, at most {@link #SOME}. */
	final int purge(Connection connection, Duration kept) throws SQLException {
		String unused = "expires_at < %1$s AND token < %1$s - %2$d".formatted(this.now, kept.toMillis());
		try (Statement statement = connection.createStatement()) {
			return statement.executeUpdate(deleteSome(this.name, "lock_key", unused));
		}
	}

	/** Returns the size of the largest result that a statement can carry, in bytes. */
	long maxResultSize() {
		return Integer.MAX_VALUE;
	}

	/**
	 * Returns a statement that inserts a row, or replaces the row with the same primary
	 * key. It does not delete, because the deletion of a missing row locks a gap between
	 * rows in MySQL and MariaDB, in which other transactions insert theirs.
	 * @param table the name of the table
	 * @param key the columns of its primary key
	 * @param others its other columns
	 * @param values the values of all columns, in this order
	 */
	abstract String put(String table, String key, List<String> others, String values);

	/** Returns the assignments that set columns to their values in a row. */
	static String assignments(List<String> columns, String value) {
		return columns.stream()
			.map((column) -> column + " = " + value.formatted(column))
			.collect(Collectors.joining(", "));
	}

	/**
	 * Returns a statement that deletes at most {@link #SOME} rows.
	 * @param table the name of the table
	 * @param columns the columns of its primary key
	 * @param condition selects the rows
	 */
	abstract String deleteSome(String table, String columns, String condition);

	/**
	 * Returns the longest time for which a statement waits for a row that another
	 * transaction has locked, and for the answer.
	 */
	int rowWaitMillis() {
		return ROW_WAIT_MILLIS;
	}

	/**
	 * Returns whether an acquisition that could not get a database lock in this time has
	 * waited for the table, and not for its row.
	 */
	boolean waitedForTable(long millis) {
		return false;
	}

	/**
	 * Sets up a new connection: the isolation of its transactions, and the time for which
	 * its statements wait for a row that another transaction has locked.
	 */
	void setUp(Connection connection) throws SQLException {
		connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
	}

	/** Finds out where the table is, unless that is known. */
	final void findHome(Connection connection) throws SQLException {
		if (this.home == null && !this.name.contains(".")) {
			try (Statement statement = connection.createStatement();
					ResultSet rows = statement.executeQuery(home(this.name))) {
				String schema = rows.next() ? rows.getString(1) : null;
				this.home = (schema != null) ? schema + "." : "";
			}
		}
	}

	/** Prepares a connection that has been borrowed from the pool. */
	void prepare(Connection connection) throws SQLException {
	}

	/**
	 * Returns the same statements, such that each of them sees what was committed before
	 * it. By default, the connection was {@linkplain #setUp set up} for that.
	 */
	<T> Statements<T> isolated(Statements<T> statements) {
		return statements;
	}

	/** Returns the expression for the time. */
	final String now() {
		return this.now;
	}

	/** Reads the row of a lock that is held. */
	@FunctionalInterface
	private interface RowReader<T> {

		T read(ResultSet row) throws SQLException;

	}

	/**
	 * A statement with the schema where the connections of the store find its table.
	 * Transactions of the application may be in another schema, for example that of a
	 * tenant.
	 */
	final class AtHome {

		private final String table;

		private final UnaryOperator<String> statement;

		private volatile @Nullable String known;

		/**
		 * Creates a statement.
		 * @param table the name of its table
		 * @param statement returns the statement for that name with the schema
		 */
		AtHome(String table, UnaryOperator<String> statement) {
			this.table = table;
			this.statement = statement;
		}

		/** Returns the statement; without the schema until that is known. */
		String get() {
			String known = this.known;
			if (known != null) {
				return known;
			}
			String schema = this.table.contains(".") ? "" : LockTable.this.home;
			String result = this.statement.apply((schema != null) ? schema + this.table : this.table);
			this.known = (schema != null) ? result : null;
			return result;
		}

	}

	/** A change of the time to live. */
	record Renewed(String key, String owner, Duration ttl) {
	}

}
