package io.github.lockstarter.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import com.zaxxer.hikari.HikariDataSource;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

import io.github.lockstarter.store.StoreCalls.NotDone;

/**
 * The connections of the store, with a thread for each, since JDBC blocks. Some of them
 * are for holders only, who renew and release: whatever callers wait for, they do not
 * wait behind them. No connection waits for an answer for longer than the time-out of a
 * statement, so that a database that was frozen is of use as soon as it is back.
 */
final class Connections {

	private static final int MAX_QUEUED = 10_000;

	private static final long KEEP_ALIVE_SECONDS = 60;

	private static final int LONGEST_PAUSE_MILLIS = 10;

	private final HikariDataSource pool;

	private final LockTable locks;

	private final Duration timeout;

	private final ThreadPoolExecutor callers;

	private final ThreadPoolExecutor holders;

	/**
	 * Creates threads that borrow connections.
	 * @param pool has that many connections, or more
	 * @param locks what the connections are for
	 * @param connections how many statements run at a time; at least two
	 * @param timeout how long a statement is waited for, and whatever comes before it
	 */
	Connections(HikariDataSource pool, LockTable locks, int connections, Duration timeout) {
		this.pool = pool;
		this.locks = locks;
		this.timeout = timeout;
		this.callers = threads("lock-jdbc-", connections - connections / 2);
		this.holders = threads("lock-jdbc-holders-", connections / 2);
	}

	private static ThreadPoolExecutor threads(String name, int number) {
		CustomizableThreadFactory factory = new CustomizableThreadFactory(name);
		factory.setDaemon(true);
		ThreadPoolExecutor threads = new ThreadPoolExecutor(number, number, KEEP_ALIVE_SECONDS, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(MAX_QUEUED), factory);
		threads.allowCoreThreadTimeOut(true);
		return threads;
	}

	/** Runs statements of a caller, or those that nobody waits for. */
	<T> CompletionStage<T> run(Statements<T> statements) {
		return run(statements, this.callers);
	}

	/** Runs statements of a holder. */
	<T> CompletionStage<T> runForHolder(Statements<T> statements) {
		return run(statements, this.holders);
	}

	/** Returns statements that are done all, or none of them. */
	static <T> Statements<T> inTransaction(Statements<T> statements) {
		return (connection, mayBeDone) -> {
			connection.setAutoCommit(false);
			try {
				T result = statements.run(connection, mayBeDone);
				connection.commit();
				return result;
			}
			catch (SQLException ex) {
				connection.rollback();
				throw ex;
			}
		};
	}

	/**
	 * Runs statements on a connection, and runs them again if the database has rolled
	 * them back or the connection was lost.
	 * @return the result; a failure of which nothing is left in the database is a
	 * {@link NotDone}
	 */
	private <T> CompletionStage<T> run(Statements<T> statements, ThreadPoolExecutor threads) {
		long until = System.nanoTime() + this.timeout.toNanos();
		CompletableFuture<T> result = new CompletableFuture<>();
		try {
			threads.execute(() -> {
				try {
					result.complete(runInTime(statements, until));
				}
				catch (Throwable ex) {
					result.completeExceptionally(ex);
				}
			});
		}
		catch (RejectedExecutionException ex) {
			result.completeExceptionally(new NotDone("too many statements wait for a connection to the database", ex));
		}
		return result;
	}

	private <T> T runInTime(Statements<T> statements, long until) throws SQLException, InterruptedException {
		boolean mayBeDone = false;
		while (true) {
			try {
				return runOnce(statements, mayBeDone, until);
			}
			catch (SQLException ex) {
				Failure failure = Failure.of(ex);
				mayBeDone |= failure == Failure.UNKNOWN;
				if (failure == Failure.BLOCKED && !mayBeDone) {
					throw new NotDone("another transaction has locked the row", ex);
				}
				if (failure == Failure.FINAL && !mayBeDone) {
					throw new NotDone("the database refused the statement: " + ex.getMessage(), ex);
				}
				if (failure == Failure.FINAL || millisUntil(until) <= LONGEST_PAUSE_MILLIS) {
					throw ex;
				}
			}
			catch (NotDone ex) {
				if (mayBeDone) {
					throw new IllegalStateException(ex.getMessage(), ex.getCause());
				}
				throw ex;
			}
			Thread.sleep(ThreadLocalRandom.current().nextInt(1, LONGEST_PAUSE_MILLIS));
		}
	}

	private <T> T runOnce(Statements<T> statements, boolean mayBeDone, long until) throws SQLException {
		try (Connection connection = connection(until)) {
			connection.setNetworkTimeout(Runnable::run, Math.max(millisUntil(until), 1));
			this.locks.prepare(connection);
			return statements.run(connection, mayBeDone);
		}
	}

	private Connection connection(long until) {
		try {
			Connection connection = (millisUntil(until) > 0) ? this.pool.getConnection() : null;
			if (connection != null && millisUntil(until) > 0) {
				return connection;
			}
			if (connection != null) {
				connection.close();
			}
			throw new NotDone("no connection to the database was free in time", null);
		}
		catch (SQLException ex) {
			throw new NotDone("no connection to the database: " + ex.getMessage(), ex);
		}
	}

	private static int millisUntil(long until) {
		return (int) TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
	}

	/** Waits for a connection, and returns it. It has to be closed. */
	Connection borrow() throws SQLException {
		return this.pool.getConnection();
	}

	/** Closes a connection that is of no use to others. */
	void evict(Connection connection) {
		this.pool.evictConnection(connection);
	}

	void close() {
		this.callers.shutdown();
		this.holders.shutdown();
		this.pool.close();
	}

	/** Statements on one connection, in a transaction of their own or in none. */
	@FunctionalInterface
	interface Statements<T> {

		/**
		 * Runs them.
		 * @param mayBeDone whether they may have been done already, as the connection was
		 * lost
		 */
		T run(Connection connection, boolean mayBeDone) throws SQLException;

	}

}
