package io.github.lockstarter.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
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
import io.github.lockstarter.store.jdbc.ResultTable.Seen;

/**
 * A lock in a database, stored as one row.
 */
final class JdbcLock implements TokenStoredLock, TransactionalStoredLock, ReactiveTransactionalStoredLock {

	/** Longer keys, and unprintable ones, are replaced by their digest. */
	private static final int MAX_KEY_LENGTH = 200;

	/** The name for digests of keys, which can be any constant. */
	private static final String ANY = "lock";

	private final JdbcAccess database;

	private final LockKey key;

	private final String rowKey;

	private final Use use;

	/** Whether the thread of the caller may run single statements. */
	private final boolean blocking;

	JdbcLock(JdbcAccess database, LockKey key) {
		this(database, key, rowKey(key), new Use(), false);
	}

	private JdbcLock(JdbcAccess database, LockKey key, String rowKey, Use use, boolean blocking) {
		this.database = database;
		this.key = key;
		this.rowKey = rowKey;
		this.use = use;
		this.blocking = blocking;
	}

	/**
	 * Returns the key of the row. It consists of visible ASCII characters, because
	 * databases differ in the treatment and comparison of other characters.
	 */
	private static String rowKey(LockKey key) {
		return visible(key.name() + ":" + key.key());
	}

	/**
	 * Returns the text, or its digest if it is too long or has characters other than
	 * visible ASCII.
	 */
	static String visible(String text) {
		boolean visible = text.length() <= MAX_KEY_LENGTH && text.chars().allMatch((each) -> each > ' ' && each < 127);
		return visible ? new LockKey(ANY, text).storeForm(MAX_KEY_LENGTH) : LockKey.ofDigest(ANY, text).key();
	}

	LockKey key() {
		return this.key;
	}

	String rowKey() {
		return this.rowKey;
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
		Supplier<CompletionStage<AcquireResult>> acquisition = (predecessor != null)
				? () -> handOver(command, predecessor) : () -> takeOrFind(command);
		if (!command.undoneOnFailure()) {
			return this.database.calls().call(this.key, acquisition);
		}
		this.use.before = (predecessor != null) ? this.use.last : null;
		this.use.last = command;
		CompletionStage<AcquireResult> answer = this.database.calls()
			.grant(this.key, command.ttl(), acquisition, () -> free(command.owner()));
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
		AcquireCommand repeated = this.use.repeated;
		if (repeated != null && repeated.owner().equals(owner)) {
			this.use.repeated = null;
			this.database.calls().freeLater(repeated.ttl(), () -> free(owner));
		}
	}

	/** Sets the action that runs after a release, which replaces the previous one. */
	private void watch(Runnable onRelease) {
		if (this.database.notifications() != null) {
			synchronized (this.use) {
				this.use.watch = onRelease;
				this.database.notifications().watch(this.rowKey, onRelease);
			}
		}
	}

	private CompletionStage<AcquireResult> takeOrFind(AcquireCommand command) {
		ConnectionLane callers = this.database.connections().callers();
		// A row is locked by a transaction that is about to commit under the lock.
		Held held = new Held(Duration.ZERO);
		ResultQuery query = command.query();
		if (query != null && query.canMatch()) {
			Statements<AcquireResult> both = (connection, mayBeDone) -> findOrTake(connection, mayBeDone, command,
					query);
			return callers.run(both.orWhenBlocked(held));
		}
		Statements<AcquireResult> take = (connection, mayBeDone) -> take(connection, mayBeDone, command);
		return runOne(callers, take.orWhenBlocked(held));
	}

	/** Runs a single statement. */
	private <T> CompletionStage<T> runOne(ConnectionLane connections, Statements<T> statement) {
		return this.blocking ? connections.runBlocking(statement) : connections.run(statement);
	}

	/**
	 * If an earlier attempt may have been executed, the owner may hold the lock already.
	 */
	private CompletionStage<AcquireResult> handOver(AcquireCommand command, String predecessor) {
		return this.database.connections().holders().run((connection, mayBeDone) -> {
			AcquireResult result = this.database.locks()
				.handOver(connection, this.rowKey, predecessor, command.owner(), command.ttl());
			return (mayBeDone && result instanceof PredecessorLost) ? take(connection, true, command) : result;
		});
	}

	private AcquireResult take(Connection connection, boolean mayBeDone, AcquireCommand command) throws SQLException {
		if (mayBeDone && command.undoneOnFailure()) {
			this.use.repeated = command;
		}
		return this.database.locks()
			.acquire(connection, this.rowKey, command.owner(), command.ttl(), command.onRelease() != null);
	}

	/**
	 * Reads first, so that a caller that finds a result does not acquire the lock. Reads
	 * again when the lock is granted, because a holder may have stored a result in
	 * between.
	 */
	private AcquireResult findOrTake(Connection connection, boolean mayBeDone, AcquireCommand command,
			ResultQuery query) throws SQLException {
		ResultTable results = this.database.results();
		Seen seen = results.find(connection, this.rowKey, query, command.owner());
		if (seen.result() != null && !seen.owned()) {
			return seen.result();
		}
		AcquireResult answer = take(connection, mayBeDone, command);
		if (!(answer instanceof Granted) || seen.owned()) {
			return answer;
		}
		try {
			Found left = results.find(connection, this.rowKey, query, command.owner()).result();
			if (left != null) {
				this.database.locks().release(connection, this.rowKey, command.owner());
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
			.call(this.key, () -> this.database.connections()
				.holders()
				.runUrgently(
						(connection, mayBeDone) -> this.database.locks().renew(connection, this.rowKey, owner, ttl)));
	}

	@Override
	public CompletionStage<Boolean> release(String owner, @Nullable StoredResult result) {
		StoredResult left = (result != null && !result.equals(this.use.committed)) ? result : null;
		return release(owner, () -> (left != null) ? freeAndKeep(owner, left)
				: runOne(this.database.connections().holders(), freeing(owner)), () -> free(owner));
	}

	@Override
	public CompletionStage<Boolean> releaseAfter(String owner, Duration time) {
		String ended = StoredLock.ended(owner);
		Statements<Boolean> statement = (connection,
				mayBeDone) -> this.database.locks().releaseAfter(connection, this.rowKey, owner, ended, time)
						|| mayBeDone;
		return release(owner, () -> runOne(this.database.connections().holders(), statement),
				() -> this.database.connections().holders().run(statement));
	}

	/**
	 * Releases the lock.
	 * @param again repeats a failed release; never blocks, because it runs on a timer
	 */
	private CompletionStage<Boolean> release(String owner, Supplier<CompletionStage<Boolean>> release,
			Supplier<CompletionStage<Boolean>> again) {
		AcquireCommand own = this.use.of(owner);
		CompletionStage<Boolean> released = (own != null)
				? this.database.calls().release(this.key, own.ttl(), release, again)
				: this.database.calls().call(this.key, release);
		ended(owner);
		return released;
	}

	/** If an earlier attempt may have been executed, a missing lock is not a loss. */
	private Statements<Boolean> freeing(String owner) {
		return (connection, mayBeDone) -> this.database.locks().release(connection, this.rowKey, owner) || mayBeDone;
	}

	/** Never blocks, because it is repeated on a timer. */
	private CompletionStage<Boolean> free(String owner) {
		return this.database.connections()
			.holders()
			.run((connection, mayBeDone) -> this.database.locks().release(connection, this.rowKey, owner));
	}

	private CompletionStage<Boolean> freeAndKeep(String owner, StoredResult result) {
		LockTable locks = this.database.locks();
		Statements<Boolean> both = (connection, mayBeDone) -> {
			boolean released = locks.release(connection, this.rowKey, owner)
					|| (mayBeDone && locks.isLastOwner(connection, this.rowKey, owner));
			if (released) {
				this.database.results().put(connection, this.rowKey, this.key.name(), result);
			}
			return released;
		};
		return this.database.connections().holders().run(both.inTransaction());
	}

	@Override
	public CompletionStage<Optional<Duration>> remaining() {
		return this.database.calls()
			.call(this.key,
					() -> this.database.connections()
						.callers()
						.run((connection, mayBeDone) -> this.database.locks()
							.find(connection, this.rowKey)
							.map(Held::remaining)));
	}

	@Override
	public boolean holdUntilCommit(long fencingToken, Object transaction) {
		JoinedTransactions transactions = this.database.transactions();
		return transactions == null || transactions.holdUntilCommit(this.key, this.rowKey, fencingToken, transaction);
	}

	@Override
	public void keepInTransaction(StoredResult result, Object transaction) {
		JoinedTransactions transactions = this.database.transactions();
		if (transactions != null) {
			transactions.keep(this.key, this.rowKey, result, transaction, () -> this.use.committed = result);
		}
	}

	@Override
	public CompletionStage<Boolean> holdUntilCommit(long fencingToken, @Nullable StoredResult result,
			ReactiveTransaction transaction) {
		JoinedReactiveTransactions transactions = this.database.reactiveTransactions();
		return (transactions == null) ? CompletableFuture.completedStage(true)
				: transactions.holdUntilCommit(this.key, this.rowKey, fencingToken, result, transaction);
	}

	/** Only if the timeout bounds the time for which a caller is blocked. */
	@Override
	public StoredLock blocking() {
		return !this.database.locks().boundsAcquisitions() ? this
				: new JdbcLock(this.database, this.key, this.rowKey, this.use, true);
	}

	@Override
	public void close() {
		synchronized (this.use) {
			if (this.use.watch != null && this.database.notifications() != null) {
				this.database.notifications().unwatch(this.rowKey, this.use.watch);
				this.use.watch = null;
			}
		}
	}

	/** The shared state of a handle and its blocking variant. */
	private static final class Use {

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
