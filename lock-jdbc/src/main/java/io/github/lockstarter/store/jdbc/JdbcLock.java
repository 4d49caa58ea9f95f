package io.github.lockstarter.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Found;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.AcquireResult.PredecessorLost;
import io.github.lockstarter.store.ReactiveTransaction;
import io.github.lockstarter.store.ReactiveTransactionalStoredLock;
import io.github.lockstarter.store.ResultQuery;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.StoredResult;
import io.github.lockstarter.store.TokenStoredLock;
import io.github.lockstarter.store.TransactionalStoredLock;
import io.github.lockstarter.store.jdbc.ResultTable.FoundResult;

/**
 * A lock in a database, stored as one row.
 */
final class JdbcLock implements TokenStoredLock, TransactionalStoredLock, ReactiveTransactionalStoredLock {

	private final JdbcAccess database;

	private final LockRow row;

	private final HandleState state;

	/** Whether the thread of the caller may run single statements. */
	private final boolean blocking;

	JdbcLock(JdbcAccess database, LockKey key) {
		this(database, LockRow.of(key), new HandleState(), false);
	}

	private JdbcLock(JdbcAccess database, LockRow row, HandleState state, boolean blocking) {
		this.database = database;
		this.row = row;
		this.state = state;
		this.blocking = blocking;
	}

	LockRow row() {
		return this.row;
	}

	@Override
	public CompletionStage<AcquireResult> acquire(AcquireCommand command) {
		if (command.onRelease() != null) {
			watch(command.onRelease());
		}
		String predecessor = command.predecessor();
		if (predecessor != null) {
			ended(predecessor);
		}
		Supplier<CompletionStage<AcquireResult>> acquisition = (predecessor != null) ? () -> handOver(command)
				: () -> takeOrFind(command);
		if (!command.undoneOnFailure()) {
			return this.database.calls().call(this.row.lock(), acquisition);
		}
		this.state.before = (predecessor != null) ? this.state.last : null;
		this.state.last = command;
		CompletionStage<AcquireResult> answer = this.database.calls()
			.grant(this.row.lock(), command.ttl(), acquisition, () -> free(command.owner()));
		answer.whenComplete((result, failure) -> {
			if (!(result instanceof Granted)) {
				ended(command.owner());
			}
		});
		return answer;
	}

	/**
	 * A repeated acquisition may be executed again after its owner has released the lock.
	 */
	private void ended(String owner) {
		AcquireCommand repeated = this.state.repeated;
		if (repeated != null && repeated.owner().equals(owner)) {
			this.state.repeated = null;
			this.database.calls().freeLater(repeated.ttl(), () -> free(owner));
		}
	}

	/** Sets the action that runs after a release, which replaces the previous one. */
	private void watch(Runnable onRelease) {
		if (this.database.notifications() != null) {
			synchronized (this.state) {
				this.state.watch = onRelease;
				this.database.notifications().watch(this.row.key(), onRelease);
			}
		}
	}

	private CompletionStage<AcquireResult> takeOrFind(AcquireCommand command) {
		ConnectionLane callers = this.database.connections().callers();
		// A row is locked by a transaction that is about to commit under the lock.
		Held held = new Held(Duration.ZERO);
		ResultQuery query = command.query();
		if (query != null && query.canMatch()) {
			Statements<AcquireResult> both = (connection, prior) -> findOrTake(connection, prior, command, query);
			return callers.run(both.orWhenBlocked(held));
		}
		Statements<AcquireResult> take = (connection, prior) -> take(connection, prior, command);
		return runOne(callers, take.orWhenBlocked(held));
	}

	/** Runs a single statement. */
	private <T> CompletionStage<T> runOne(ConnectionLane connections, Statements<T> statement) {
		return this.blocking ? connections.runBlocking(statement) : connections.run(statement);
	}

	/**
	 * If an earlier attempt may have been executed, the owner may hold the lock already.
	 */
	private CompletionStage<AcquireResult> handOver(AcquireCommand command) {
		NotifyingTable table = Objects.requireNonNull(this.database.notifying(), "The store does not hand over locks");
		return this.database.connections().holders().run((connection, prior) -> {
			AcquireResult result = table.handOver(connection, this.row.key(), command);
			return (prior == PriorAttempt.MAYBE_EXECUTED && result instanceof PredecessorLost)
					? take(connection, prior, command) : result;
		});
	}

	private AcquireResult take(Connection connection, PriorAttempt prior, AcquireCommand command) throws SQLException {
		if (prior == PriorAttempt.MAYBE_EXECUTED && command.undoneOnFailure()) {
			this.state.repeated = command;
		}
		return this.database.locks().acquire(connection, this.row.key(), command);
	}

	/**
	 * Reads first, so that a caller that finds a result does not acquire the lock. Reads
	 * again when the lock is granted, because a holder may have stored a result in
	 * between.
	 */
	private AcquireResult findOrTake(Connection connection, PriorAttempt prior, AcquireCommand command,
			ResultQuery query) throws SQLException {
		ResultTable results = this.database.results();
		FoundResult found = results.find(connection, this.row.key(), query, command.owner());
		if (found.result() != null && !found.owned()) {
			return found.result();
		}
		AcquireResult answer = take(connection, prior, command);
		if (!(answer instanceof Granted) || found.owned()) {
			return answer;
		}
		try {
			Found left = results.find(connection, this.row.key(), query, command.owner()).result();
			if (left != null) {
				this.database.locks().release(connection, this.row.key(), command.owner());
			}
			return (left != null) ? left : answer;
		}
		catch (SQLException ex) {
			throw new IllegalStateException("the lock was granted, but its result could not be read", ex);
		}
	}

	@Override
	public CompletionStage<Boolean> renew(String owner, Duration ttl) {
		return this.database.calls()
			.call(this.row.lock(), () -> this.database.connections()
				.holders()
				.runUrgently(
						(connection, prior) -> this.database.locks().renew(connection, this.row.key(), owner, ttl)));
	}

	@Override
	public CompletionStage<Boolean> release(String owner, @Nullable StoredResult result) {
		StoredResult left = (result != null && !result.equals(this.state.committed)) ? result : null;
		return release(owner, () -> (left != null) ? freeAndKeep(owner, left)
				: runOne(this.database.connections().holders(), freeing(owner)), () -> free(owner));
	}

	@Override
	public CompletionStage<Boolean> releaseAfter(String owner, Duration time) {
		String ended = StoredLock.ended(owner);
		Statements<Boolean> statement = (connection,
				prior) -> this.database.locks().releaseAfter(connection, this.row.key(), owner, ended, time)
						|| prior == PriorAttempt.MAYBE_EXECUTED;
		return release(owner, () -> runOne(this.database.connections().holders(), statement),
				() -> this.database.connections().holders().run(statement));
	}

	/**
	 * Releases the lock.
	 * @param again repeats a failed release; never blocks, because it runs on a timer
	 */
	private CompletionStage<Boolean> release(String owner, Supplier<CompletionStage<Boolean>> release,
			Supplier<CompletionStage<Boolean>> again) {
		AcquireCommand own = this.state.of(owner);
		CompletionStage<Boolean> released = (own != null)
				? this.database.calls().release(this.row.lock(), own.ttl(), release, again)
				: this.database.calls().call(this.row.lock(), release);
		ended(owner);
		return released;
	}

	/** If an earlier attempt may have been executed, a missing lock is not a loss. */
	private Statements<Boolean> freeing(String owner) {
		return (connection, prior) -> this.database.locks().release(connection, this.row.key(), owner)
				|| prior == PriorAttempt.MAYBE_EXECUTED;
	}

	/** Never blocks, because it is repeated on a timer. */
	private CompletionStage<Boolean> free(String owner) {
		return this.database.connections()
			.holders()
			.run((connection, prior) -> this.database.locks().release(connection, this.row.key(), owner));
	}

	private CompletionStage<Boolean> freeAndKeep(String owner, StoredResult result) {
		LockTable locks = this.database.locks();
		Statements<Boolean> both = (connection, prior) -> {
			boolean released = locks.release(connection, this.row.key(), owner)
					|| (prior == PriorAttempt.MAYBE_EXECUTED && locks.isLastOwner(connection, this.row.key(), owner));
			if (released) {
				this.database.results().put(connection, this.row, result);
			}
			return released;
		};
		return this.database.connections().holders().run(both.inTransaction());
	}

	@Override
	public CompletionStage<Optional<Duration>> remaining() {
		return this.database.calls()
			.call(this.row.lock(),
					() -> this.database.connections()
						.callers()
						.run((connection,
								prior) -> this.database.locks().find(connection, this.row.key()).map(Held::remaining)));
	}

	@Override
	public boolean holdUntilCommit(long fencingToken, Object transaction) {
		JoinedTransactions transactions = this.database.transactions();
		return transactions == null || transactions.holdUntilCommit(this.row, fencingToken, transaction);
	}

	@Override
	public void keepInTransaction(StoredResult result, Object transaction) {
		JoinedTransactions transactions = this.database.transactions();
		if (transactions != null) {
			transactions.keep(this.row, result, transaction, () -> this.state.committed = result);
		}
	}

	@Override
	public CompletionStage<Boolean> holdUntilCommit(long fencingToken, @Nullable StoredResult result,
			ReactiveTransaction transaction) {
		JoinedReactiveTransactions transactions = this.database.reactiveTransactions();
		return (transactions == null) ? CompletableFuture.completedStage(true)
				: transactions.holdUntilCommit(this.row, fencingToken, result, transaction);
	}

	/** Only if the timeout bounds the time for which a caller is blocked. */
	@Override
	public StoredLock blocking() {
		return !this.database.locks().boundsAcquisitions() ? this
				: new JdbcLock(this.database, this.row, this.state, true);
	}

	@Override
	public void close() {
		synchronized (this.state) {
			if (this.state.watch != null && this.database.notifications() != null) {
				this.database.notifications().unwatch(this.row.key(), this.state.watch);
				this.state.watch = null;
			}
		}
	}

	/** The shared state of a handle and its blocking variant. */
	private static final class HandleState {

		private @Nullable Runnable watch;

		/**
		 * The last acquisition by an owner that will not acquire the lock again. A shared
		 * token may acquire it again, so its releases are not repeated.
		 */
		private volatile @Nullable AcquireCommand last;

		/**
		 * The acquisition before it, if the last one ends its turn. If that fails, its
		 * owner still releases the lock.
		 */
		private volatile @Nullable AcquireCommand before;

		/** The last acquisition that was repeated after its connection was lost. */
		private volatile @Nullable AcquireCommand repeated;

		/** The last result that a transaction of a holder has stored. */
		private volatile @Nullable StoredResult committed;

		/** Returns the acquisition of an owner that will not acquire the lock again. */
		private @Nullable AcquireCommand of(String owner) {
			AcquireCommand last = this.last;
			AcquireCommand before = this.before;
			return (last != null && last.owner().equals(owner)) ? last
					: (before != null && before.owner().equals(owner)) ? before : null;
		}

	}

}
