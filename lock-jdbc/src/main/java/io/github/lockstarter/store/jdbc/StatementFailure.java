package io.github.lockstarter.store.jdbc;

import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.Set;

/**
 * What a failure of a statement says about the data.
 */
enum StatementFailure {

	/** The database has rolled the statement back: it can be repeated. */
	ROLLED_BACK("the database has rolled the statement back"),

	/**
	 * The row was locked by another transaction for too long: the statement was not
	 * executed, and can be repeated.
	 */
	BLOCKED("another transaction has locked the row or the table"),

	/**
	 * The server accepts no changes, for example because it is no longer the primary: the
	 * statement was not executed, and can be repeated over a new connection.
	 */
	READ_ONLY("the database accepts no changes"),

	/**
	 * The connection or the statement was ended: it may have been executed, and can be
	 * repeated.
	 */
	UNKNOWN("the connection was lost"),

	/** The statement was refused, and would be refused again. */
	FINAL("the database refused the statement");

	/** The class of SQL states for a transaction that was rolled back. */
	private static final String ROLLBACK = "40";

	/** Of that class: the connection was lost during the commit. */
	private static final String COMPLETION_UNKNOWN = "40003";

	/**
	 * Two transactions have inserted the same row; PostgreSQL has ended a transaction
	 * that was idle or took too long; and conflicts that have SQL states of their own in
	 * H2.
	 */
	private static final Set<String> CONFLICTS = Set.of("23505", "25P03", "25P04", "90131", "90143");

	/**
	 * Conflicts without such a SQL state in MySQL and MariaDB: a row was changed after
	 * the snapshot, and group replication has rolled a commit back.
	 */
	private static final Set<Integer> MYSQL_CONFLICTS = Set.of(1020, 3100, 3101);

	/** The SQL states of PostgreSQL and of H2. */
	private static final Set<String> BLOCKS = Set.of("55P03", "HYT00");

	private static final int MYSQL_LOCK_WAIT_TIMEOUT = 1205;

	/** The SQL states of PostgreSQL, MySQL and MariaDB, and of H2. */
	private static final Set<String> READ_ONLY_STATES = Set.of("25006", "90097");

	/** Those of MySQL and MariaDB without such a SQL state. */
	private static final Set<Integer> MYSQL_READ_ONLY = Set.of(1290, 1792, 1836);

	/**
	 * The classes of SQL states for a lost connection, for a statement or server that an
	 * operator has stopped, and for a statement or connection that was killed.
	 */
	private static final Set<String> ENDS = Set.of("08", "57", "70");

	/** The connection or the database is closed, in H2. */
	private static final Set<String> H2_ENDS = Set.of("90067", "90098", "90121");

	/**
	 * Of MySQL and MariaDB: a commit has failed, the session was killed, the server has
	 * closed an idle connection, and a proxy has lost the server.
	 */
	private static final Set<Integer> MYSQL_ENDS = Set.of(1180, 2006, 2013, 2055, 3169, 4031);

	private final String text;

	StatementFailure(String text) {
		this.text = text;
	}

	static StatementFailure of(SQLException failure) {
		String state = failure.getSQLState();
		int code = failure.getErrorCode();
		if (code == MYSQL_LOCK_WAIT_TIMEOUT || (state != null && BLOCKS.contains(state))) {
			return BLOCKED;
		}
		if (MYSQL_READ_ONLY.contains(code) || (state != null && READ_ONLY_STATES.contains(state))) {
			return READ_ONLY;
		}
		if (state == null || failure instanceof SQLTimeoutException || state.equals(COMPLETION_UNKNOWN)
				|| ENDS.contains(classOf(state)) || H2_ENDS.contains(state) || MYSQL_ENDS.contains(code)) {
			return UNKNOWN;
		}
		return (classOf(state).equals(ROLLBACK) || CONFLICTS.contains(state) || MYSQL_CONFLICTS.contains(code))
				? ROLLED_BACK : FINAL;
	}

	/** Returns the text for messages. */
	@Override
	public String toString() {
		return this.text;
	}

	/** Returns the first two characters of a SQL state. */
	private static String classOf(String state) {
		return state.substring(0, Math.min(2, state.length()));
	}

}
