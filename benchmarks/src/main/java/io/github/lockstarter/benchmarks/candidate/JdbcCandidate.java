package io.github.lockstarter.benchmarks.candidate;

import java.util.function.Function;

/**
 * The candidates in SQL databases.
 */
public enum JdbcCandidate implements Candidate<DatabaseAddress> {

	/** The fewest and simplest statements that make a lock. */
	BASELINE("two bare statements (the baseline)", BareStatementLocks::new),

	SHEDLOCK("ShedLock", ShedLocks::new),

	INTEGRATION("Spring Integration", SpringIntegrationLocks::inTable),

	THIS("lock-spring-boot-starter", StarterLocks::new);

	private final String title;

	private final Function<DatabaseAddress, LockClient> connector;

	JdbcCandidate(String title, Function<DatabaseAddress, LockClient> connector) {
		this.title = title;
		this.connector = connector;
	}

	@Override
	public boolean isPeer() {
		return this != BASELINE && this != THIS;
	}

	@Override
	public LockClient connect(DatabaseAddress server) {
		return this.connector.apply(server);
	}

	@Override
	public String toString() {
		return this.title;
	}

}
