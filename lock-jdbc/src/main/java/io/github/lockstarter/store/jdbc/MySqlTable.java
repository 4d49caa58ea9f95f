package io.github.lockstarter.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;

import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Granted;

/**
 * The table in MySQL and MariaDB. The fencing token of a grant is returned as a generated
 * key. After a rejection, the holder is read with a second statement.
 */
final class MySqlTable extends LockTable {

	private static final long MAX_RESULT = 7L * 1024 * 1024;

	private static final int ROW_WAIT_MILLIS = 2200;

	/** Constant during a statement. */
	private static final String NOW = "(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) DIV 1000)";

	private static final String SNAPSHOTS = "SHOW VARIABLES LIKE 'innodb_snapshot_isolation'";

	private final String acquire;

	MySqlTable(String name) {
		super(name, NOW);
		// The assignments are executed one after the other. After the first one, the
		// owner of the row shows whether the lock is granted. Until the last one, its
		// time shows whether that owner held the lock before.
		this.acquire = """
				INSERT INTO %1$s (lock_key, owner, token, expires_at)
				VALUES (?, ?, LAST_INSERT_ID(%2$s), %2$s + ?)
				ON DUPLICATE KEY UPDATE
				  owner = IF(expires_at < %2$s, VALUES(owner), owner),
				  token = IF(owner = VALUES(owner),
				    LAST_INSERT_ID(IF(expires_at < %2$s, GREATEST(token + 1, VALUES(token)), token)),
				    token + LAST_INSERT_ID(0)),
				  expires_at = IF(owner = VALUES(owner), GREATEST(expires_at, VALUES(expires_at)), expires_at)
				""".formatted(name, NOW);
	}

	@Override
	AcquireResult acquire(Connection connection, String key, AcquireCommand command) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.acquire, Statement.RETURN_GENERATED_KEYS)) {
			statement.setString(1, key);
			statement.setString(2, command.owner());
			statement.setLong(3, command.ttl().toMillis());
			statement.executeUpdate();
			try (ResultSet keys = statement.getGeneratedKeys()) {
				if (keys.next() && keys.getLong(1) > 0) {
					return new Granted(keys.getLong(1));
				}
			}
		}
		// A trigger of the application may have reset the generated key of a grant.
		return holder(connection, key, command.owner());
	}

	@Override
	void setUp(Connection connection) throws SQLException {
		super.setUp(connection);
		// The shortest time that MySQL supports, in seconds.
		execute(connection, "SET SESSION innodb_lock_wait_timeout = 1");
	}

	/** The server checks once a second whether the time is over. */
	@Override
	int rowWaitMillis() {
		return ROW_WAIT_MILLIS;
	}

	/**
	 * A statement is limited to {@code max_allowed_packet}, which is 16 MB in MariaDB by
	 * default, and some drivers write two digits for each byte.
	 */
	@Override
	long maxResultSize() {
		return MAX_RESULT;
	}

	@Override
	String put(String table, String key, List<String> others, String values) {
		return "INSERT INTO %s (%s, %s) VALUES (%s) ON DUPLICATE KEY UPDATE %s".formatted(table, key,
				String.join(", ", others), values, assignments(others, "VALUES(%s)"));
	}

	@Override
	String deleteSome(String table, String columns, String condition) {
		return "DELETE FROM %s WHERE %s LIMIT %d".formatted(table, condition, SOME);
	}

	@Override
	String home(String table) {
		return "SELECT CONCAT('`', REPLACE(DATABASE(), '`', '``'), '`')";
	}

	@Override
	Set<String> products() {
		return Set.of("MySQL", "MariaDB");
	}

	@Override
	String withMarkers(String sql) {
		return sql;
	}

	/** Only MariaDB does, depending on a variable that MySQL does not have. */
	@Override
	String snapshotSetting() {
		return SNAPSHOTS;
	}

}
