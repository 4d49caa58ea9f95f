package io.github.lockstarter.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.AcquireResult.PredecessorLost;

/**
 * The table in PostgreSQL, which notifies waiters. It has one more column:
 *
 * <pre>
 * waiting      the instance that waits for the lock, * if there are several, or null
 * </pre>
 *
 * An instance that finds the lock held sets it in that statement. A release notifies all
 * instances, and those that find it held again set it again. At the end of a turn the
 * lock is released for the other instances, if any of them waits. Its time is then set to
 * -1, so that the next grant keeps the instance that ended the turn among the waiters.
 */
final class PostgreSqlTable extends LockTable implements NotifyingTable {

	/** Constant during a statement, even if the statement waits for another one. */
	private static final String NOW = "(date_part('epoch', statement_timestamp()) * 1000)::bigint";

	/**
	 * Limits the time for which a statement waits for a row that another transaction has
	 * locked. It applies to one statement only, because a pooler may give the connection
	 * to other clients.
	 */
	private static final String SETTING = setting("100ms");

	/**
	 * A holder that releases waits for all callers that contend for its lock, and for no
	 * transaction of the application: that has ended before.
	 */
	private static final String RELEASE_SETTING = setting("1s");

	private static final String TABLE_SETTING = "SET lock_timeout = '1s'";

	/** Between the limits of an acquisition for a row and for the table. */
	private static final long LONGEST_ROW_MILLIS = 500;

	private static final String SESSION = "SELECT pg_backend_pid(), current_setting('transaction_isolation')";

	private static final String READ_COMMITTED = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED";

	/**
	 * The time for the waiters of other instances to acquire the lock before this
	 * instance polls.
	 */
	private static final Duration HEAD_START = Duration.ofMillis(20);

	private final String acquire;

	private final String release;

	private final String releaseAfter;

	private final String handOver;

	private volatile @Nullable Session session;

	/**
	 * Creates the statements.
	 * @param instance the name of this instance of the application: letters, digits and
	 * hyphens
	 */
	PostgreSqlTable(String name, String instance) {
		super(name, NOW, SETTING);
		String channel = channel(name);
		// The token to be granted is the time. The row is locked when the condition is
		// evaluated, so a release either precedes that, or finds a waiter. A holder that
		// is younger than the statement is in neither part of the answer.
		this.acquire = """
				%5$s,
				changed AS (
				  INSERT INTO %1$s AS held (lock_key, owner, token, expires_at)
				  SELECT ?::text, ?::text, %2$s, %2$s + ? FROM setting
				  ON CONFLICT (lock_key) DO UPDATE SET
				    owner = CASE WHEN %3$s THEN EXCLUDED.owner ELSE held.owner END,
				    token = CASE WHEN held.expires_at < EXCLUDED.token THEN GREATEST(held.token + 1, EXCLUDED.token)
				      ELSE held.token END,
				    expires_at = CASE WHEN %3$s THEN GREATEST(held.expires_at, EXCLUDED.expires_at)
				      ELSE held.expires_at END,
				    waiting = CASE WHEN held.owner = EXCLUDED.owner THEN held.waiting
				      WHEN NOT (%3$s) THEN CASE WHEN held.waiting IS NULL THEN '%4$s' ELSE '*' END
				      WHEN held.expires_at = -1 AND held.waiting <> '%4$s' THEN held.waiting END
				  WHERE %3$s OR (? AND COALESCE(held.waiting, '') NOT IN ('%4$s', '*'))
				  RETURNING owner, token, expires_at
				)
				SELECT owner, token, expires_at - %2$s FROM changed
				UNION ALL
				SELECT owner, token, expires_at - %2$s FROM %1$s
				WHERE lock_key = ? AND owner <> ? AND expires_at >= %2$s AND NOT EXISTS (SELECT 1 FROM changed)
				""".formatted(name, NOW, "held.expires_at < EXCLUDED.token OR held.owner = EXCLUDED.owner", instance,
				SETTING);
		this.release = """
				%4$s
				UPDATE %1$s SET expires_at = 0 FROM setting
				WHERE lock_key = ? AND owner = ? AND expires_at >= %2$s
				RETURNING CASE WHEN waiting IS NOT NULL THEN pg_notify('%3$s', lock_key) END
				""".formatted(name, NOW, channel, RELEASE_SETTING);
		// Waiters are notified, because the lock is free earlier than they expect.
		this.releaseAfter = """
				%4$s
				UPDATE %1$s SET owner = ?, expires_at = %2$s + ? FROM setting
				WHERE lock_key = ? AND owner = ? AND expires_at >= %2$s
				RETURNING CASE WHEN waiting IS NOT NULL THEN pg_notify('%3$s', lock_key) END
				""".formatted(name, NOW, channel, RELEASE_SETTING);
		this.handOver = """
				%6$s
				UPDATE %1$s SET
				  owner = CASE WHEN %3$s THEN owner ELSE ? END,
				  token = CASE WHEN %3$s THEN token ELSE GREATEST(token + 1, %2$s) END,
				  expires_at = CASE WHEN %3$s THEN -1 ELSE %2$s + ? END,
				  waiting = CASE WHEN %3$s THEN '%4$s' END
				FROM setting
				WHERE lock_key = ? AND owner = ? AND expires_at >= %2$s
				RETURNING token, CASE WHEN waiting IS NOT NULL THEN pg_notify('%5$s', '%4$s ' || lock_key) END, waiting
				""".formatted(name, NOW, "waiting <> '%s'".formatted(instance), instance, channel, RELEASE_SETTING);
	}

	private static String setting(String time) {
		return "WITH setting AS (SELECT set_config('lock_timeout', '%s', TRUE))".formatted(time);
	}

	/**
	 * Limits the wait in the database. The driver would use a timer for each statement.
	 */
	@Override
	boolean holdUntilCommit(Connection connection, String key, long token) throws SQLException {
		return returnsRow(connection, holdUntilCommit(), key, token);
	}

	/** The transaction of the application gets its own setting back. */
	@Override
	String holdUntilCommit(String table) {
		return """
				WITH before AS MATERIALIZED (SELECT current_setting('lock_timeout') AS value),
				setting AS MATERIALIZED (SELECT value, set_config('lock_timeout', '%3$ds', TRUE) FROM before),
				locked AS MATERIALIZED (
				  SELECT 1 FROM setting, %1$s AS held
				  WHERE lock_key = ? AND token = ? AND expires_at >= %2$s FOR UPDATE OF held
				),
				counted AS MATERIALIZED (SELECT count(*) AS held FROM locked),
				restored AS MATERIALIZED (
				  SELECT held, set_config('lock_timeout', CASE WHEN held >= 0 THEN value END, TRUE) FROM counted, setting
				)
				SELECT 1 FROM restored WHERE held = 1
				"""
			.formatted(table, NOW, LONGEST_WAIT_SECONDS);
	}

	/**
	 * Returns the channel for notifications of releases, independent of the spelling of
	 * the name.
	 */
	static String channel(String table) {
		return table.toLowerCase(Locale.ROOT);
	}

	@Override
	AcquireResult acquire(Connection connection, String key, AcquireCommand command) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.acquire)) {
			statement.setString(1, key);
			statement.setString(2, command.owner());
			statement.setLong(3, command.ttl().toMillis());
			statement.setBoolean(4, command.onRelease() != null);
			statement.setString(5, key);
			statement.setString(6, command.owner());
			try (ResultSet rows = statement.executeQuery()) {
				return rows.next() ? answer(rows, command.owner()) : new Held(Duration.ZERO);
			}
		}
	}

	@Override
	boolean release(Connection connection, String key, String owner) throws SQLException {
		return returnsRow(connection, this.release, key, owner);
	}

	@Override
	String releaseAfter() {
		return this.releaseAfter;
	}

	@Override
	public AcquireResult handOver(Connection connection, String key, AcquireCommand command) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.handOver)) {
			statement.setString(1, command.owner());
			statement.setLong(2, command.ttl().toMillis());
			statement.setString(3, key);
			statement.setString(4, command.predecessor());
			try (ResultSet rows = statement.executeQuery()) {
				if (!rows.next()) {
					return new PredecessorLost();
				}
				return (rows.getString(3) == null) ? new Granted(rows.getLong(1)) : new Held(HEAD_START);
			}
		}
	}

	@Override
	String put(String table, String key, List<String> others, String values) {
		return "INSERT INTO %1$s (%2$s, %3$s) VALUES (%4$s) ON CONFLICT (%2$s) DO UPDATE SET %5$s".formatted(table, key,
				String.join(", ", others), values, assignments(others, "EXCLUDED.%s"));
	}

	/** The condition is repeated, because a row may be changed after it was found. */
	@Override
	String deleteSome(String table, String columns, String condition) {
		return "DELETE FROM %1$s WHERE %3$s AND (%2$s) IN (SELECT %2$s FROM %1$s WHERE %3$s LIMIT %4$d)"
			.formatted(table, columns, condition, SOME);
	}

	@Override
	String home(String table) {
		return "SELECT quote_ident(COALESCE((SELECT nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = to_regclass('%s')), current_schema()))"
			.formatted(table);
	}

	@Override
	Set<String> products() {
		return Set.of("PostgreSQL");
	}

	/** Not in transactions of several statements. */
	@Override
	boolean boundsAcquisitions() {
		Session known = this.session;
		return known == null || known.readsCommitted();
	}

	/**
	 * Changes nothing behind a pooler, which may give the connection to other clients.
	 * Otherwise a statement that waits for the table does not stay in the database when
	 * its caller has given up: the limits of the statements are for rows only.
	 */
	@Override
	void setUp(Connection connection) throws SQLException {
		if (!session(connection).pooled()) {
			execute(connection, TABLE_SETTING);
		}
	}

	@Override
	boolean waitedForTable(long millis) {
		return millis > LONGEST_ROW_MILLIS;
	}

	private Session session(Connection connection) throws SQLException {
		Session known = this.session;
		if (known == null) {
			known = Session.of(connection);
			this.session = known;
		}
		return known;
	}

	/**
	 * Disables prepared statements behind a pooler, where another client may have
	 * prepared a statement with the same name.
	 */
	@Override
	void prepare(Connection connection) throws SQLException {
		if (session(connection).pooled()) {
			connection.unwrap(PGConnection.class).setPrepareThreshold(0);
		}
	}

	@Override
	<T> Statements<T> isolated(Statements<T> statements) {
		Session known = this.session;
		if (known == null || known.readsCommitted()) {
			return statements;
		}
		Statements<T> inside = (connection, prior) -> {
			execute(connection, READ_COMMITTED);
			return statements.run(connection, prior);
		};
		return inside.inTransaction();
	}

	/**
	 * What the connections have in common.
	 *
	 * @param pooled whether several backends may execute the statements of one connection
	 * @param readsCommitted whether a statement without a transaction of its own sees
	 * what was committed before it, which the database, the user or the application
	 * decides
	 */
	record Session(boolean pooled, boolean readsCommitted) {

		/** A pooler reports another backend than the one that answers. */
		static Session of(Connection connection) throws SQLException {
			try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery(SESSION)) {
				rows.next();
				return new Session(rows.getInt(1) != connection.unwrap(PGConnection.class).getBackendPID(),
						rows.getString(2).equals("read committed"));
			}
		}

	}

}
