package io.github.lockstarter.store.jdbc;

import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.Set;

/**
 * What the failure of a statement means.
 */
enum Failure {

	/** The database has rolled it back: it can be repeated. */
	ROLLED_BACK,

	/** The row was locked by another transaction for too long. */
	BLOCKED,

	/** The connection was lost: it may have been done, and can be repeated. */
	UNKNOWN,

	/** It was refused, and would be refused again. */
	FINAL;

	/** Two transactions, of which one had to end. The last three are those of H2. */
	private static final Set<String> ROLLBACKS = Set.of("40001", "40P01", "23505", "90131", "90143");

	/** Those of PostgreSQL and of H2. */
	private static final Set<String> BLOCKS = Set.of("55P03", "HYT00");

	private static final int MYSQL_LOCK_WAIT_TIMEOUT = 1205;

	private static final String CONNECTION = "08";

	/** What PostgreSQL sends before it shuts down, or while it starts. */
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
