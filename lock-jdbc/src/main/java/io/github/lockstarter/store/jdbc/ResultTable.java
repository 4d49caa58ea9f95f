package io.github.lockstarter.store.jdbc;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireResult.Found;
import io.github.lockstarter.store.ResultQuery;
import io.github.lockstarter.store.StoredResult;
import io.github.lockstarter.store.jdbc.LockTable.AtHome;

/**
 * The table of results and its statements.
 *
 * <pre>
 * lock_key     registration:taro
 * name         the name of the results, as a digest
 * lock_name    registration
 * token        the fencing token of its holder
 * stored_at    the time of storing
 * kept_until   the end of its validity
 * content      the result, in UTF-8
 * </pre>
 */
final class ResultTable {

	private static final String KEY = "lock_key, name";

	private final String find;

	private final AtHome put;

	private final String check;

	private final String purge;

	private final String count;

	private final String removeSome;

	/**
	 * Creates the statements.
	 * @param locks the table of locks
	 * @param lockTable the name of the table of locks
	 */
	ResultTable(LockTable locks, String lockTable) {
		String name = nameFor(lockTable);
		String now = locks.now();
		this.find = """
				SELECT result.token, result.content, %3$s - result.stored_at, held.owner
				FROM %1$s AS result LEFT JOIN %2$s AS held
				  ON held.lock_key = result.lock_key AND held.owner = ? AND held.expires_at >= %3$s
				WHERE result.lock_key = ? AND result.name = ? AND result.kept_until > %3$s
				""".formatted(name, lockTable, now);
		this.put = locks.new AtHome(name,
				(table) -> locks.put(table, KEY, List.of("lock_name", "token", "stored_at", "kept_until", "content"),
						"?, ?, ?, ?, %1$s, %1$s + ?, ?".formatted(now)));
		this.check = "DELETE FROM %s WHERE lock_key = '' AND name = ''".formatted(name);
		this.purge = locks.deleteSome(name, KEY, "kept_until <= " + now);
		String ofLock = "lock_name = ? AND kept_until > " + now;
		this.count = "SELECT COUNT(*) FROM %s WHERE %s".formatted(name, ofLock);
		this.removeSome = locks.deleteSome(name, KEY, ofLock);
	}

	/**
	 * Returns the name of the table of results. It is in upper case if the name of the
	 * table of locks is, because MySQL and MariaDB may distinguish the case.
	 */
	static String nameFor(String lockTable) {
		String own = lockTable.substring(lockTable.indexOf('.') + 1);
		return lockTable + (own.equals(own.toUpperCase(Locale.ROOT)) ? "_RESULTS" : "_results");
	}

	/**
	 * Returns the result if it matches the query, and whether the owner holds the lock.
	 */
	FoundResult find(Connection connection, String key, ResultQuery query, String owner) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.find)) {
			statement.setString(1, owner);
			statement.setString(2, key);
			statement.setString(3, name(query.key().name()));
			try (ResultSet rows = statement.executeQuery()) {
				return rows.next() ? read(rows, query) : FoundResult.NOTHING;
			}
		}
	}

	private static FoundResult read(ResultSet row, ResultQuery query) throws SQLException {
		StoredResult result = new StoredResult(query.key(), new String(row.getBytes(2), StandardCharsets.UTF_8),
				row.getLong(1));
		Duration age = Duration.ofMillis(Math.max(row.getLong(3), 0) + 1);
		return new FoundResult(row.getString(4) != null, query.matches(result, age) ? new Found(result, age) : null);
	}

	/**
	 * Keeps a result, which replaces an earlier one.
	 */
	void put(Connection connection, LockRow row, StoredResult result) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(put())) {
			List<Object> values = values(row, result);
			for (int i = 0; i < values.size(); i++) {
				statement.setObject(i + 1, values.get(i));
			}
			statement.executeUpdate();
		}
	}

	/** Returns the statement that keeps a result. */
	String put() {
		return this.put.get();
	}

	/** Returns the values for the statement that keeps a result. */
	List<Object> values(LockRow row, StoredResult result) {
		return List.of(row.key(), name(result.key().name()), LockRow.visible(row.lock().name()), result.fencingToken(),
				result.key().keep().toMillis(), result.text().getBytes(StandardCharsets.UTF_8));
	}

	/** Fails if the table does not exist. */
	void check(Connection connection) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			statement.executeUpdate(this.check);
		}
	}

	/** Returns the number of valid results of the locks with a name. */
	long count(Connection connection, String lockName) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.count)) {
			statement.setString(1, LockRow.visible(lockName));
			try (ResultSet rows = statement.executeQuery()) {
				rows.next();
				return rows.getLong(1);
			}
		}
	}

	/**
	 * Removes valid results of the locks with a name, at most {@link LockTable#SOME}.
	 */
	int removeSome(Connection connection, String lockName) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.removeSome)) {
			// The condition may occur in the statement twice.
			for (int i = 1; i <= this.removeSome.chars().filter((each) -> each == '?').count(); i++) {
				statement.setString(i, LockRow.visible(lockName));
			}
			return statement.executeUpdate();
		}
	}

	/** Removes expired results, at most {@link LockTable#SOME}. */
	int purge(Connection connection) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.purge)) {
			return statement.executeUpdate();
		}
	}

	/** A name can be any text of any length. */
	private static String name(String name) {
		return LockKey.ofDigest("result", name).key().substring(LockKey.DIGEST_PREFIX.length());
	}

	/**
	 * A result that was found, and whether its lock is held.
	 *
	 * @param owned whether the owner holds the lock; unknown if there is no result
	 * @param result the result, if it matches the query
	 */
	record FoundResult(boolean owned, @Nullable Found result) {

		private static final FoundResult NOTHING = new FoundResult(false, null);

	}

}
