package io.github.lockstarter.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.jdbc.datasource.init.ScriptException;
import org.springframework.util.ClassUtils;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.Capability;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.StoreCalls;
import io.github.lockstarter.store.StoreCalls.NotDone;
import io.github.lockstarter.store.StoredResults;
import io.github.lockstarter.store.TokenStoredLock;
import io.github.lockstarter.store.jdbc.LockTable.Renewed;

/**
 * Stores locks in a table of a SQL database: PostgreSQL, MySQL, MariaDB or H2. Acquiring,
 * renewing and releasing a lock is one statement each, outside of the transactions of the
 * application, over connections that belong to the store. Leases expire by the clock of
 * the database.
 * <p>
 * PostgreSQL notifies waiters of a release; with the other databases they poll. The
 * fencing token is a counter in the row of the lock, which starts with the current time.
 */
public final class JdbcLockStore implements LockStore, InitializingBean, DisposableBean {

	private static final int[] NO_COUNTS = {};

	private static final Log logger = LogFactory.getLog(JdbcLockStore.class);

	private static final boolean REACTIVE = ClassUtils.isPresent(
			"org.springframework.r2dbc.connection.R2dbcTransactionManager", JdbcLockStore.class.getClassLoader());

	/** The longest time that startup waits for an answer. */
	private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(5);

	/** The class of SQL states for a missing table, column or privilege. */
	private static final String TABLE_STATE = "42";

	/**
	 * MySQL and MariaDB do not write transactions that read what is committed to a binary
	 * log of statements.
	 */
	private static final int MYSQL_STATEMENT_LOG = 1665;

	/** So many statements are executed well within the timeout of one. */
	private static final int RENEWED_AT_ONCE = 100;

	private static final long PAUSE_MILLIS = 100;

	private final Set<Capability> capabilities;

	private final Schema schema;

	private final boolean createTables;

	private final Connections connections;

	private final StoreCalls calls;

	private final JdbcAccess access;

	private final Purge purge;

	/**
	 * Creates a store. It connects when it is first used.
	 * @param settings the database, its tables, and the limits of the store
	 * @throws LockConfigurationException if locks cannot be stored in such a database
	 */
	public JdbcLockStore(JdbcLockStoreSettings settings) {
		HikariConfig database = settings.database();
		DataSource application = settings.applicationDataSource();
		String table = settings.table();
		int connections = settings.connections();
		Duration commandTimeout = settings.commandTimeout();
		DatabaseUrl url = new DatabaseUrl(database.getJdbcUrl());
		Database kind = url.database();
		String instance = UUID.randomUUID().toString();
		LockTable locks = kind.locks(table, instance);
		NotifyingTable notifying = (locks instanceof NotifyingTable any) ? any : null;
		this.capabilities = EnumSet.of(Capability.KEEPS_RESULTS, Capability.HOLDS_FOR_TOKENS);
		if (notifying != null) {
			this.capabilities.addAll(Set.of(Capability.NOTIFIES, Capability.HANDS_OVER));
		}
		if (application != null) {
			this.capabilities.add(Capability.JOINS_TRANSACTIONS);
		}
		if (REACTIVE) {
			this.capabilities.add(Capability.JOINS_REACTIVE_TRANSACTIONS);
		}
		this.schema = kind.schema(table);
		this.createTables = settings.createTables();
		ResultTable results = new ResultTable(locks, table);
		this.calls = new StoreCalls("jdbc", commandTimeout);
		this.connections = new Connections(
				StorePool.create(database, url, connections + ((notifying != null) ? 1 : 0), commandTimeout, locks),
				connections, this.calls);
		this.access = new JdbcAccess(locks, results, this.connections, this.calls, notifying,
				(notifying != null)
						? new ReleaseNotifications(PostgreSqlTable.channel(table), instance, this.connections) : null,
				(application != null) ? new JoinedTransactions(application, locks, results, this.connections) : null,
				REACTIVE ? new JoinedReactiveTransactions(locks, results) : null);
		this.purge = new Purge(locks, results, this.connections.callers());
	}

	/**
	 * Checks whether the tables exist, or creates them. If there is no answer, the
	 * application starts nevertheless, with a warning.
	 * @throws LockConfigurationException if the database has no such tables
	 */
	@Override
	public void afterPropertiesSet() {
		long until = System.nanoTime() + CHECK_NANOS;
		SQLException failure = check();
		while (failure != null && System.nanoTime() - until < 0 && pause()) {
			failure = check();
		}
		if (failure != null) {
			logger.warn(
					"The tables of the locks could not be checked: calls that need a lock fail until the database answers. %s"
						.formatted(NestedExceptionUtils.getMostSpecificCause(failure).getMessage()),
					failure);
		}
	}

	/** Returns whether to continue after the pause. */
	private static boolean pause() {
		try {
			Thread.sleep(PAUSE_MILLIS);
			return true;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	/** Returns the failure if the database did not answer. */
	private @Nullable SQLException check() {
		try (Connection connection = this.connections.borrow()) {
			connection.setNetworkTimeout(Runnable::run, (int) TimeUnit.NANOSECONDS.toMillis(CHECK_NANOS));
			if (this.createTables) {
				this.schema.create(connection);
			}
			this.access.locks().release(connection, "", "");
			this.access.results().check(connection);
			return null;
		}
		catch (ScriptException ex) {
			return failure((SQLException) Objects.requireNonNull(ex.getCause()));
		}
		catch (SQLException ex) {
			return failure(ex);
		}
	}

	/** Returns the failure unless the tables are missing or unusable. */
	private SQLException failure(SQLException failure) {
		if (String.valueOf(failure.getSQLState()).startsWith(TABLE_STATE)) {
			throw new LockConfigurationException(
					"The tables of the locks cannot be used: %s".formatted(failure.getMessage()),
					"""
							If they exist, grant the user SELECT, INSERT, UPDATE and DELETE on them. Otherwise create them, or set lock.jdbc.initialize-schema=always for development:

							%s"""
						.formatted(this.schema));
		}
		if (failure.getErrorCode() == MYSQL_STATEMENT_LOG) {
			throw new LockConfigurationException(
					"Locks cannot be stored in a database whose binary log contains statements: %s".formatted(
							failure.getMessage()),
					"Set binlog_format=ROW or binlog_format=MIXED in the database.");
		}
		return failure;
	}

	@Override
	public void destroy() {
		ReleaseNotifications notifications = this.access.notifications();
		if (notifications != null) {
			notifications.close();
		}
		this.connections.close();
		this.calls.close();
	}

	@Override
	public TokenStoredLock lock(LockKey key) {
		this.purge.beginIfDue();
		return new JdbcLock(this.access, key);
	}

	@Override
	public long maxResultSize() {
		return this.access.locks().maxResultSize();
	}

	@Override
	public Optional<StoredResults> results() {
		return Optional.of(new JdbcResults(this.access));
	}

	@Override
	public Set<Capability> capabilities() {
		return this.capabilities;
	}

	@Override
	public List<CompletionStage<Boolean>> renewAll(List<Renewal> renewals) {
		List<CompletionStage<Boolean>> answers = new ArrayList<>(renewals.size());
		for (int i = 0; i < renewals.size(); i += RENEWED_AT_ONCE) {
			answers.addAll(renewTogether(renewals.subList(i, Math.min(i + RENEWED_AT_ONCE, renewals.size()))));
		}
		return answers;
	}

	/** A renewal that fails, because its row is locked, does not prevent the others. */
	private List<CompletionStage<Boolean>> renewTogether(List<Renewal> renewals) {
		if (renewals.size() < 2) {
			return LockStore.super.renewAll(renewals);
		}
		List<Renewed> all = renewals.stream()
			.map((each) -> new Renewed(((JdbcLock) each.lock()).row().key(), each.owner(), each.ttl()))
			.toList();
		Statements<int[]> renewal = (connection, prior) -> this.access.locks().renewAll(connection, all);
		CompletionStage<int[]> together = this.connections.holders()
			.runUrgently(renewal.inTransaction().orWhenBlocked(NO_COUNTS));
		return IntStream.range(0, all.size()).mapToObj((i) -> {
			JdbcLock lock = (JdbcLock) renewals.get(i).lock();
			return this.calls.call(lock.row().lock(), () -> together.handle((counts, failure) -> {
				if (failure != null && !(failure.getCause() instanceof NotDone) && !(failure instanceof NotDone)) {
					return CompletableFuture.<Boolean>failedStage(failure);
				}
				// A row is locked, or the driver does not report the number of changed
				// rows.
				return (failure == null && i < counts.length && counts[i] >= 0)
						? CompletableFuture.completedStage(counts[i] == 1)
						: lock.renew(all.get(i).owner(), all.get(i).ttl());
			}).thenCompose(Function.identity()));
		}).toList();
	}

	@Override
	public void expectWaiters() {
		ReleaseNotifications notifications = this.access.notifications();
		if (notifications != null) {
			notifications.listen();
		}
	}

}
