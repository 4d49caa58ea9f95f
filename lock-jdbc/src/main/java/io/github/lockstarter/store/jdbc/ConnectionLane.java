package io.github.lockstarter.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

import io.github.lockstarter.store.StoreCalls;
import io.github.lockstarter.store.StoreCalls.NotDone;

/**
 * Some connections of the pool, with one thread for each, because JDBC blocks. A caller
 * that may block runs its statement itself if a connection is free. A connection waits
 * for an answer for the time that is left to its statement, and at least as long as the
 * database lets a statement {@linkplain LockTable#rowWaitMillis() wait for a row}. So a
 * database that was unresponsive can be used as soon as it recovers, and a locked row
 * costs no connection.
 */
final class ConnectionLane implements AutoCloseable {

	private static final int MAX_QUEUED = 10_000;

	private static final long KEEP_ALIVE_SECONDS = 60;

	private static final int LONGEST_PAUSE_MILLIS = 10;

	private static final String NO_CONNECTION = "no connection to the database: ";

	private final StorePool pool;

	private final StoreCalls calls;

	private final ThreadPoolExecutor threads;

	private final AtomicLong queued = new AtomicLong();

	/** The number of free connections, which statements use roughly in their order. */
	private final Semaphore free;

	/** The number of connections that blocking callers may still use. */
	private final Semaphore blocking;

	/**
	 * Creates a lane. Threads and connections are created on demand.
	 * @param name the prefix of the names of its threads
	 * @param pool the pool, with at least that many connections
	 * @param connections the number of statements that run concurrently
	 * @param reserved the number of them that run only on threads of the lane: a virtual
	 * thread of a caller may be suspended for a while during its statement
	 * @param calls the timeout of a statement, including the wait for a connection, and
	 * its clock
	 */
	ConnectionLane(String name, StorePool pool, int connections, int reserved, StoreCalls calls) {
		this.pool = pool;
		this.calls = calls;
		this.free = new Semaphore(connections, true);
		this.blocking = new Semaphore(connections - reserved);
		CustomizableThreadFactory factory = new CustomizableThreadFactory(name);
		factory.setDaemon(true);
		this.threads = new ThreadPoolExecutor(connections, connections, KEEP_ALIVE_SECONDS, TimeUnit.SECONDS,
				new PriorityBlockingQueue<>(), factory);
		this.threads.allowCoreThreadTimeOut(true);
	}

	/**
	 * Runs statements on a thread of the lane, and repeats them if the database has
	 * rolled them back or the connection was lost.
	 * @return a stage with the result; it fails with {@link NotDone} if nothing was
	 * changed in the database
	 */
	<T> CompletionStage<T> run(Statements<T> statements) {
		return queue(new StatementRun<>(statements, false));
	}

	/**
	 * Runs statements like {@link #run}, before those that wait already and are not
	 * urgent. While their own row is locked, they are not urgent either.
	 */
	<T> CompletionStage<T> runUrgently(Statements<T> statements) {
		return queue(new StatementRun<>(statements, true));
	}

	/**
	 * Runs statements like {@link #run}, but first on this thread if a connection is
	 * free.
	 */
	<T> CompletionStage<T> runBlocking(Statements<T> statements) {
		StatementRun<T> run = new StatementRun<>(statements, false);
		if (!this.blocking.tryAcquire()) {
			return queue(run);
		}
		try {
			return (takeFree() && onceOnTaken(run)) ? run.result : queue(run);
		}
		finally {
			this.blocking.release();
		}
	}

	/** Returns whether there is a result, or a failure. */
	private boolean onceOnTaken(StatementRun<?> run) {
		try {
			return run.once();
		}
		finally {
			this.free.release();
		}
	}

	/**
	 * Takes a connection if one is free. An interrupted thread takes none: the driver may
	 * close it.
	 */
	private boolean takeFree() {
		try {
			return !hasWaiting() && this.free.tryAcquire(0, TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	/** Runs statements on a thread of the lane, after those that wait already. */
	private <T> CompletionStage<T> queue(StatementRun<T> run) {
		if (this.threads.getQueue().size() >= MAX_QUEUED) {
			run.fail(new NotDone("too many statements wait for a connection to the database", null));
			return run.result;
		}
		try {
			this.threads.execute(new Queued(run, this.queued.incrementAndGet()));
		}
		catch (RejectedExecutionException ex) {
			run.fail(new NotDone("the connections to the database are closed", ex));
		}
		return run.result;
	}

	/** Returns whether a statement waits for a connection. */
	boolean hasWaiting() {
		return this.free.hasQueuedThreads() || !this.threads.getQueue().isEmpty();
	}

	@Override
	public void close() {
		this.threads.shutdown();
	}

	/** Statements that wait for a thread of the lane. */
	private final class Queued implements Runnable, Comparable<Queued> {

		private final StatementRun<?> statements;

		private final long number;

		private Queued(StatementRun<?> statements, long number) {
			this.statements = statements;
			this.number = number;
		}

		@Override
		public int compareTo(Queued other) {
			int urgency = Boolean.compare(other.statements.urgent, this.statements.urgent);
			return (urgency != 0) ? urgency : Long.compare(this.number, other.number);
		}

		@Override
		public void run() {
			ConnectionLane.this.free.acquireUninterruptibly();
			try {
				this.statements.untilDone();
			}
			finally {
				ConnectionLane.this.free.release();
			}
		}

	}

	/** Runs statements, and repeats them. */
	private final class StatementRun<T> {

		private final Statements<T> statements;

		private final long until = ConnectionLane.this.calls.nanoTime() + ConnectionLane.this.calls.timeout().toNanos();

		private final CompletableFuture<T> result = new CompletableFuture<>();

		/** Whether they run before those that wait and are not urgent. */
		private boolean urgent;

		private PriorAttempt prior = PriorAttempt.NOT_EXECUTED;

		/** The last failure. */
		private @Nullable StatementFailure failure;

		/** When the last attempt began on its connection, on the clock of the calls. */
		private long begun;

		/** The {@linkplain StorePool#generation() generation} of the last connection. */
		private int generation;

		private StatementRun(Statements<T> statements, boolean urgent) {
			this.statements = statements;
			this.urgent = urgent;
		}

		/** While its row is locked, other statements use the connection. */
		private void untilDone() {
			while (!once()) {
				if (this.failure == StatementFailure.BLOCKED) {
					this.urgent = false;
					queue(this);
					return;
				}
				try {
					Thread.sleep(ThreadLocalRandom.current().nextInt(1, LONGEST_PAUSE_MILLIS));
				}
				catch (InterruptedException ex) {
					fail(ex);
					return;
				}
			}
		}

		/** Returns whether there is a result, or a failure. */
		private boolean once() {
			try {
				return this.result.complete(onConnection());
			}
			catch (Unusable ex) {
				this.failure = null;
				boolean waits = !ex.isNew || !ConnectionLane.this.pool.attempts().isBackedOff();
				return !(waits && millisLeft() > LONGEST_PAUSE_MILLIS)
						&& fail(new NotDone(NO_CONNECTION + ex.getMessage(), ex.getCause()));
			}
			catch (SQLException ex) {
				this.failure = StatementFailure.of(ex);
				if (this.failure == StatementFailure.UNKNOWN) {
					this.prior = PriorAttempt.MAYBE_EXECUTED;
				}
				T blocked = (this.failure == StatementFailure.BLOCKED && !waitedForTable())
						? this.statements.whenBlocked() : null;
				if (blocked != null) {
					return this.result.complete(blocked);
				}
				return !isRepeatable(ex) && fail(
						mayBeExecuted() ? ex : new NotDone("%s: %s".formatted(this.failure, ex.getMessage()), ex));
			}
			catch (NotDone ex) {
				// The pool gives up for an interrupted thread. Another thread continues.
				return !Thread.currentThread().isInterrupted() && fail(ex);
			}
			catch (Throwable ex) {
				return fail(ex);
			}
		}

		private boolean mayBeExecuted() {
			return this.prior == PriorAttempt.MAYBE_EXECUTED;
		}

		private boolean fail(Throwable failure) {
			boolean known = mayBeExecuted() && failure instanceof NotDone;
			return this.result.completeExceptionally(
					known ? new IllegalStateException(failure.getMessage(), failure.getCause()) : failure);
		}

		/** Returns whether another attempt may succeed. */
		private boolean isRepeatable(SQLException ex) {
			return this.failure != StatementFailure.FINAL && millisLeft() > LONGEST_PAUSE_MILLIS
					&& (this.failure != StatementFailure.READ_ONLY
							|| ConnectionLane.this.pool.replace(this.generation, ex));
		}

		private boolean waitedForTable() {
			long nanos = ConnectionLane.this.calls.nanoTime() - this.begun;
			return ConnectionLane.this.pool.locks().waitedForTable(TimeUnit.NANOSECONDS.toMillis(nanos));
		}

		private T onConnection() throws SQLException {
			try (Connection connection = connection()) {
				boolean isNew = ConnectionLane.this.pool.isNew(connection);
				SQLException failure = isNew ? ConnectionLane.this.pool.attempts().begin() : null;
				if (failure != null) {
					throw new Unusable(failure, true);
				}
				makeReady(connection, isNew);
				return isNew ? firstOn(connection) : on(connection);
			}
		}

		private T on(Connection connection) throws SQLException {
			this.begun = ConnectionLane.this.calls.nanoTime();
			return ConnectionLane.this.pool.locks().isolated(this.statements).run(connection, this.prior);
		}

		/** A database that refuses statements has answered. */
		private T firstOn(Connection connection) throws SQLException {
			try {
				T result = on(connection);
				ConnectionLane.this.pool.worked(connection);
				return result;
			}
			catch (SQLException ex) {
				if (StatementFailure.of(ex) == StatementFailure.UNKNOWN) {
					ConnectionLane.this.pool.attempts().failed(ex);
				}
				else {
					ConnectionLane.this.pool.worked(connection);
				}
				throw ex;
			}
		}

		/** A connection that was lost while it was idle is replaced. */
		private void makeReady(Connection connection, boolean isNew) throws SQLException {
			try {
				// A statement that waits for a row ends by itself.
				connection.setNetworkTimeout(Runnable::run,
						Math.max(millisLeft(), ConnectionLane.this.pool.locks().rowWaitMillis()));
				if (isNew) {
					ConnectionLane.this.pool.setUp(connection);
				}
				ConnectionLane.this.pool.locks().prepare(connection);
			}
			catch (SQLException ex) {
				ConnectionLane.this.pool.evictConnection(connection);
				if (isNew) {
					ConnectionLane.this.pool.attempts().failed(ex);
				}
				throw new Unusable(ex, isNew);
			}
		}

		private Connection connection() {
			try {
				this.generation = ConnectionLane.this.pool.generation();
				Connection connection = (millisLeft() > 0) ? ConnectionLane.this.pool.getConnection() : null;
				if (connection != null && millisLeft() > 0) {
					return connection;
				}
				if (connection != null) {
					connection.close();
				}
				SQLException last = ConnectionLane.this.pool.lastFailure();
				throw new NotDone((last != null) ? NO_CONNECTION + last.getMessage()
						: "no connection to the database was free in time", last);
			}
			catch (SQLException ex) {
				throw new NotDone(NO_CONNECTION + ex.getMessage(), ex);
			}
		}

		private int millisLeft() {
			return (int) TimeUnit.NANOSECONDS.toMillis(this.until - ConnectionLane.this.calls.nanoTime());
		}

	}

	/** A connection over which no statement was executed. */
	private static final class Unusable extends SQLException {

		private final boolean isNew;

		Unusable(SQLException cause, boolean isNew) {
			super(cause.getMessage(), cause);
			this.isNew = isNew;
		}

	}

}
