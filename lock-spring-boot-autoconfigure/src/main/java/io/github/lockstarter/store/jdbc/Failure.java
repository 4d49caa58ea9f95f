package io.github.lockstarter.store.jdbc;

import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.Set;

/**
 * The meaning of a failure of a statement.
 */
enum Failure {

	/** The database has rolled the statement back: it can be repeated. */
	ROLLED_BACK,

	/** The row was locked by another transaction for too long. */
	BLOCKED,

	/**
	 * The connection was lost: the statement may have been executed, and can be repeated.
	 */
	UNKNOWN,

	/** The statement was refused, and would be refused again. */
	FINAL;

	/**
	 * SQL states of conflicts between two transactions. The last three are those of H2.
	 */
	private static final Set<String> ROLLBACKS = Set.of("40001", "40P01", "23505", "90131", "90143");

	/** The SQL states of PostgreSQL and of H2. */
	private static final Set<String> BLOCKS = Set.of("55P03", "HYT00");

	private static final int MYSQL_LOCK_WAIT_TIMEOUT = 1205;

	private static final String CONNECTION = "08";

	/** The class of SQL states that PostgreSQL sends during shutdown and start-up. */
	private static final String OPERATOR = "57";

	static Failure of(SQLException failure) {
		String state = failure.getSQLState();
		if (failure.getErrorCode() == MYSQL_LOCK_WAIT_TIMEOUT || (state != null && BLOCKS.contains(state))) {
			return BLOCKED;
		}
		if (state == null || failure instanceof SQLTimeoutException || state.startsWith(CONNECTION)
				|| state.startsWith(OPERATOR)) {
			return UNKNOWN;
		}
		return ROLLBACKS.contains(state) ? ROLLED_BACK : FINAL;
	}

}
