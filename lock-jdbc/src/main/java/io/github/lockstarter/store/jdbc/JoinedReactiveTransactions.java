package io.github.lockstarter.store.jdbc;

import java.time.Duration;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionMetadata;
import io.r2dbc.spi.IsolationLevel;
import io.r2dbc.spi.R2dbcException;
import io.r2dbc.spi.Result;
import io.r2dbc.spi.Statement;
import io.r2dbc.spi.Wrapped;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.ReactiveTransaction;
import io.github.lockstarter.store.StoredResult;

/**
 * Transactions of R2DBC on the database of the locks, which promise the same as
 * {@link JoinedTransactions}.
 */
final class JoinedReactiveTransactions {

	private static final Log logger = LogFactory.getLog(JoinedReactiveTransactions.class);

	private static final Duration LONGEST_WAIT = Duration.ofSeconds(LockTable.LONGEST_WAIT_SECONDS);

	private static final String SAVEPOINT = "lock_joined";

	/** The SQL states for a missing table, and for a missing schema of H2. */
	private static final Set<String> NO_TABLE = Set.of("42P01", "42S02", "42S03", "42S04", "90079");

	/** MySQL has no SQL state of its own for it. */
	private static final int MYSQL_UNKNOWN_DATABASE = 1049;

	private static final Set<IsolationLevel> CURRENT = Set.of(IsolationLevel.READ_UNCOMMITTED,
			IsolationLevel.READ_COMMITTED);

	private final LockTable locks;

	private final ResultTable results;

	/** Whether the connections are to the database of the locks. */
	private final Map<Object, Boolean> known = Collections.synchronizedMap(new WeakHashMap<>());

	private volatile @Nullable Boolean failsSnapshots;

	/** The names of the locks for which a warning has been logged. */
	private final Set<String> reported = ConcurrentHashMap.newKeySet();

	JoinedReactiveTransactions(LockTable locks, ResultTable results) {
		this.locks = locks;
		this.results = results;
	}

	/**
	 * Locks the row of a lock in a transaction, and keeps a result in it.
	 * @return whether the lock is held, or the transaction is on another database
	 */
	CompletionStage<Boolean> holdUntilCommit(LockRow row, long token, @Nullable StoredResult result,
			ReactiveTransaction transaction) {
		if (!(transaction.connection() instanceof Connection connection)) {
			return Mono.just(true).doOnNext((held) -> report(row.lock())).toFuture();
		}
		return isOurs(connection, row.key())
			.flatMap((ours) -> ours ? join(connection, row, token, result, transaction)
					: Mono.just(true).doOnNext((held) -> report(row.lock())))
			.timeout(LONGEST_WAIT)
			.onErrorMap(Exception.class, (ex) -> failure(row.lock(), ex))
			.toFuture();
	}

	private Mono<Boolean> join(Connection connection, LockRow row, long token, @Nullable StoredResult result,
			ReactiveTransaction transaction) {
		Mono<Boolean> held = canCheck(connection, transaction).flatMap((can) -> can
				? returnsRow(connection, this.locks.holdUntilCommit(), row.key(), token) : Mono.just(true));
		return (result == null) ? held
				: held.flatMap((isHeld) -> isHeld ? put(connection, row, result).thenReturn(true) : Mono.just(false));
	}

	/**
	 * Returns whether the connection is to the database of the locks, which is known if
	 * it sees the row of the lock.
	 */
	private Mono<Boolean> isOurs(Connection connection, String rowKey) {
		Object driver = driver(connection);
		Boolean ours = this.known.get(driver);
		if (ours != null) {
			return Mono.just(ours);
		}
		Mono<Boolean> elsewhere = Mono.fromSupplier(() -> {
			this.known.put(driver, false);
			return false;
		});
		return Mono.defer(() -> isOfOurProduct(connection) ? sees(connection, rowKey, elsewhere) : elsewhere)
			.doOnNext((found) -> {
				if (found) {
					this.known.put(driver, true);
				}
			});
	}

	/**
	 * Another product does not understand the statements. What MySQL's driver calls the
	 * product is a comment of the server, so the package of the driver counts as well.
	 */
	private boolean isOfOurProduct(Connection connection) {
		ConnectionMetadata metadata = connection.getMetadata();
		String product = metadata.getDatabaseProductName();
		String driver = metadata.getClass().getPackageName();
		return this.locks.products()
			.stream()
			.anyMatch((ours) -> ours.equalsIgnoreCase(product) || driver.endsWith("." + ours.toLowerCase(Locale.ROOT)));
	}

	/**
	 * Returns whether the connection sees the row of the lock. That there is no such
	 * table must not fail the transaction. Any other failure does, for example a missing
	 * privilege: the database may be that of the locks.
	 */
	private Mono<Boolean> sees(Connection connection, String rowKey, Mono<Boolean> elsewhere) {
		return Mono.defer(() -> Mono.from(connection.createSavepoint(SAVEPOINT)))
			.then(returnsRow(connection, this.locks.exists(), rowKey))
			.onErrorResume(JoinedReactiveTransactions::isMissingTable,
					(ex) -> Mono.from(connection.rollbackTransactionToSavepoint(SAVEPOINT)).then(elsewhere))
			.flatMap((found) -> release(connection).thenReturn(found))
			.onErrorResume(UnsupportedOperationException.class, (ex) -> elsewhere);
	}

	/** Some databases keep a savepoint until the end of its transaction. */
	private static Mono<Void> release(Connection connection) {
		return Mono.defer(() -> Mono.from(connection.releaseSavepoint(SAVEPOINT)))
			.onErrorComplete(UnsupportedOperationException.class);
	}

	private static boolean isMissingTable(Throwable failure) {
		return failure instanceof R2dbcException known && (known.getErrorCode() == MYSQL_UNKNOWN_DATABASE
				|| (known.getSqlState() != null && NO_TABLE.contains(known.getSqlState())));
	}

	/** A pool wraps its connections anew for each use. */
	private static Object driver(Connection connection) {
		Object driver = connection;
		while (driver instanceof Wrapped<?> wrapped && wrapped.unwrap() instanceof Connection inner) {
			driver = inner;
		}
		return driver;
	}

	/**
	 * Returns whether the transaction sees the current state of the row, even if the row
	 * was changed after the transaction began, for example by a renewal.
	 */
	private Mono<Boolean> canCheck(Connection connection, ReactiveTransaction transaction) {
		Integer isolation = transaction.isolation();
		boolean current = (isolation != null) ? isolation <= java.sql.Connection.TRANSACTION_READ_COMMITTED
				: CURRENT.contains(connection.getTransactionIsolationLevel());
		return current ? Mono.just(true) : failsSnapshots(connection).map((fails) -> !fails);
	}

	private Mono<Boolean> failsSnapshots(Connection connection) {
		String setting = this.locks.snapshotSetting();
		Boolean fails = (setting == null) ? Boolean.TRUE : this.failsSnapshots;
		return (fails != null || setting == null) ? Mono.justOrEmpty(fails)
				: Flux.from(connection.createStatement(setting).execute())
					.flatMap((result) -> result.map((row, metadata) -> "ON".equalsIgnoreCase(row.get(1, String.class))))
					.any((on) -> on)
					.doOnNext((on) -> this.failsSnapshots = on);
	}

	private Mono<Void> put(Connection connection, LockRow row, StoredResult result) {
		return execute(connection, this.results.put(), this.results.values(row, result).toArray())
			.flatMap(Result::getRowsUpdated)
			.then();
	}

	private Mono<Boolean> returnsRow(Connection connection, String sql, Object... values) {
		return execute(connection, sql, values).flatMap((result) -> result.map((row, metadata) -> true)).hasElements();
	}

	private Flux<Result> execute(Connection connection, String sql, Object... values) {
		return Flux.defer(() -> {
			Statement statement = connection.createStatement(this.locks.withMarkers(sql));
			for (int i = 0; i < values.length; i++) {
				statement.bind(i, values[i]);
			}
			return Flux.<Result>from(statement.execute());
		});
	}

	private void report(LockKey key) {
		if (this.reported.add(key.name())) {
			logger.warn(("The reactive transaction under lock '%s' is not on the database of the locks, so a lost lease"
					+ " can commit, the result is stored after the commit, and a duplicate repeats the work if the"
					+ " instance crashes in between")
				.formatted(key.name()));
		}
	}

	private static LockStoreException failure(LockKey key, Exception ex) {
		if (ex instanceof LockStoreException known) {
			return known;
		}
		logger.warn("A transaction under lock '%s' is rolled back, because it could not join the lock: %s"
			.formatted(key.name(), ex.getMessage()));
		return new LockStoreException(key, "the transaction could not join the lock: " + ex.getMessage(), ex);
	}

}
