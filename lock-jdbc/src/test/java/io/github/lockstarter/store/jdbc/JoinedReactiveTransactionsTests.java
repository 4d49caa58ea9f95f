package io.github.lockstarter.store.jdbc;

import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumSet;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import io.r2dbc.spi.Result;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.mockito.AdditionalAnswers;
import org.mockito.Mockito;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.ReactiveTransaction;
import io.github.lockstarter.testing.LocalPostgreSql;
import io.github.lockstarter.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Reactive transactions on connections that are not, or not certainly, to the database of
 * the locks.
 */
@Tag("database")
@ExtendWith(OutputCaptureExtension.class)
class JoinedReactiveTransactionsTests {

	private static final String TABLE = "joined_locks";

	private static final LockKey KEY = new LockKey("joined", "a");

	private static final String ROW = "joined:a";

	private static final long TOKEN = 7;

	private final String memory = UUID.randomUUID().toString();

	/** Returns each of the databases of this run with each of all kinds. */
	static Stream<Arguments> pairs() {
		Set<TestDatabase> kinds = EnumSet.of(TestDatabase.H2, TestDatabase.POSTGRESQL);
		kinds.addAll(TestDatabase.all());
		return kinds.stream().flatMap((locks) -> kinds.stream().map((data) -> Arguments.of(locks, data)));
	}

	@ParameterizedTest
	@MethodSource("pairs")
	@DisplayName("A transaction on another database, whatever its vendor, continues, and one warning names the lock")
	void elsewhere(TestDatabase locks, TestDatabase data, CapturedOutput output) {
		connected(connections(data), (connection) -> {
			JoinedReactiveTransactions transactions = transactions(locks, "absent_locks");
			assertThat(holds(transactions, connection)).isTrue();
			assertThat(holds(transactions, connection)).isTrue();
			execute(connection, "create temporary table continued (id int)");
		});
		assertThat(output).containsOnlyOnce("under lock 'joined' is not on the database of the locks");
	}

	@ParameterizedTest
	@MethodSource("io.github.lockstarter.testing.TestDatabase#all")
	@DisplayName("A transaction on a database without the schema of the locks continues")
	void noSchema(TestDatabase database) {
		connected(connections(database), (connection) -> {
			assertThat(holds(transactions(database, "absent.locks"), connection)).isTrue();
			execute(connection, "create temporary table continued (id int)");
		});
	}

	@Test
	@DisplayName("A transaction whose driver has no savepoints continues, and a warning names the lock")
	void noSavepoints(CapturedOutput output) {
		connected(connections(TestDatabase.H2), (connection) -> {
			Connection limited = Mockito.mock(Connection.class, AdditionalAnswers.delegatesTo(connection));
			Mockito.doThrow(UnsupportedOperationException.class).when(limited).createSavepoint(Mockito.anyString());
			assertThat(holds(transactions(TestDatabase.H2, TABLE), limited)).isTrue();
		});
		assertThat(output).containsOnlyOnce("under lock 'joined' is not on the database of the locks");
	}

	@Test
	@DisplayName("While its user may not read the locks, a transaction fails and says so; then the connection joins")
	void missingPrivilege() throws SQLException {
		try (java.sql.Connection owner = lostLock()) {
			run(owner, "drop role if exists joined_user");
			run(owner, "create role joined_user login");
			failsOnce("joined_user", "permission denied",
					() -> run(owner, "grant select, update on joined_locks to joined_user"));
			run(owner, "drop owned by joined_user; drop role joined_user");
		}
	}

	@Test
	@DisplayName("If the database is unavailable for a moment, a transaction fails, and the connection joins the next one")
	void unavailable() throws SQLException {
		try (java.sql.Connection owner = lostLock()) {
			owner.setAutoCommit(false);
			run(owner, "lock table joined_locks in access exclusive mode");
			failsOnce("postgres", "timeout", owner::rollback);
		}
	}

	@Test
	@DisplayName("A transaction in the schema of a tenant joins its lock")
	void tenant() throws SQLException {
		try (java.sql.Connection owner = lostLock()) {
			LockTable locks = Database.POSTGRESQL.locks(TABLE, "instance");
			locks.findHome(owner);
			JoinedReactiveTransactions transactions = new JoinedReactiveTransactions(locks,
					new ResultTable(locks, TABLE));
			connected(postgreSql("postgres"), (connection) -> {
				execute(connection, "set local search_path to joined_tenant");
				assertThat(holds(transactions, connection)).isFalse();
			});
		}
	}

	/** Creates a lock that is granted to another owner. */
	private static java.sql.Connection lostLock() throws SQLException {
		java.sql.Connection owner = DriverManager.getConnection(LocalPostgreSql.shared().url());
		run(owner, "drop table if exists joined_locks, joined_locks_results");
		Database.POSTGRESQL.schema(TABLE).create(owner);
		run(owner, "insert into joined_locks values ('%s', 'other', %d, %d)".formatted(ROW, TOKEN + 1, Long.MAX_VALUE));
		return owner;
	}

	/** Checks that the lock is found to be lost after the repair, and not before it. */
	private void failsOnce(String user, String message, Repair repair) throws SQLException {
		JoinedReactiveTransactions transactions = transactions(TestDatabase.POSTGRESQL, TABLE);
		Connection connection = Mono.from(postgreSql(user).create()).block();
		try {
			execute(connection, "set lock_timeout = '10ms'");
			inTransaction(connection,
					() -> assertThatExceptionOfType(CompletionException.class)
						.isThrownBy(() -> holds(transactions, connection))
						.withCauseInstanceOf(LockStoreException.class)
						.withMessageContaining(message));
			repair.run();
			inTransaction(connection, () -> assertThat(holds(transactions, connection)).isFalse());
		}
		finally {
			Mono.from(connection.close()).block();
		}
	}

	private static JoinedReactiveTransactions transactions(TestDatabase database, String table) {
		LockTable locks = Database.valueOf(database.name()).locks(table, "instance");
		return new JoinedReactiveTransactions(locks, new ResultTable(locks, table));
	}

	private ConnectionFactory connections(TestDatabase database) {
		return ConnectionFactories
			.get((database == TestDatabase.H2) ? "r2dbc:h2:mem:///" + this.memory : database.reactiveUrl());
	}

	private static ConnectionFactory postgreSql(String user) {
		return ConnectionFactories
			.get("r2dbc:postgresql://%s@127.0.0.1:%d/postgres".formatted(user, LocalPostgreSql.shared().port()));
	}

	private static void connected(ConnectionFactory connections, Consumer<Connection> work) {
		Connection connection = Mono.from(connections.create()).block();
		try {
			inTransaction(connection, () -> work.accept(connection));
		}
		finally {
			Mono.from(connection.close()).block();
		}
	}

	private static void inTransaction(Connection connection, Runnable work) {
		Mono.from(connection.beginTransaction()).block();
		work.run();
		Mono.from(connection.rollbackTransaction()).block();
	}

	private static boolean holds(JoinedReactiveTransactions transactions, Connection connection) {
		return transactions
			.holdUntilCommit(new LockRow(KEY, ROW), TOKEN, null,
					new ReactiveTransaction(connection, java.sql.Connection.TRANSACTION_READ_COMMITTED))
			.toCompletableFuture()
			.join();
	}

	private static void execute(Connection connection, String sql) {
		Flux.<Result>from(connection.createStatement(sql).execute()).flatMap(Result::getRowsUpdated).blockLast();
	}

	private static void run(java.sql.Connection connection, String sql) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			statement.execute(sql);
		}
	}

	/** Removes the cause of a failure. */
	private interface Repair {

		void run() throws SQLException;

	}

}
