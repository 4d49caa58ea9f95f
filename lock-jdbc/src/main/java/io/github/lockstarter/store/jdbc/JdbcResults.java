package io.github.lockstarter.store.jdbc;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.lockstarter.store.StoredResults;

/**
 * The stored results in the database. A statement reads the whole table within the
 * timeout of the store. Results are removed in batches of one thousand.
 */
final class JdbcResults implements StoredResults {

	private final ResultTable results;

	private final ConnectionLane connections;

	JdbcResults(JdbcAccess access) {
		this.results = access.results();
		this.connections = access.connections().callers();
	}

	@Override
	public CompletionStage<Long> count(String lockName) {
		return this.connections.run((connection, prior) -> this.results.count(connection, lockName));
	}

	@Override
	public CompletionStage<Long> remove(String lockName) {
		return remove(lockName, 0);
	}

	private CompletionStage<Long> remove(String lockName, long before) {
		return this.connections.run((connection, prior) -> this.results.removeSome(connection, lockName))
			.thenCompose((count) -> (count < LockTable.SOME) ? CompletableFuture.completedStage(before + count)
					: remove(lockName, before + count));
	}

}
