package io.github.lockstarter.store.jdbc;

import java.util.UUID;

import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import io.r2dbc.spi.Result;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mockito.AdditionalAnswers;
import org.mockito.Mockito;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.ReactiveTransaction;
import io.github.lockstarter.testing.LocalMariaDb;
import io.github.lockstarter.testing.LocalPostgreSql;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Reactive transactions on connections that are not, or not certainly, to the database of
 * the locks.
 */
@Tag("once")
@ExtendWith(OutputCaptureExtension.class)
class JoinedReactiveTransactionsTests {

	private static final String TABLE = "joined_locks";

	private static final LockKey KEY = new LockKey("joined", "a");

	private static final String ROW = "joined:a";

	private static final long TOKEN = 7;

	private final String memory = UUID.randomUUID().toString();

	@ParameterizedTest
	@CsvSource({ "H2, H2", "H2, POSTGRESQL", "H2, MARIADB", "POSTGRESQL, H2", "POSTGRESQL, POSTGRESQL",
			"POSTGRESQL, MARIADB", "MARIADB, H2", "MARIADB, POSTGRESQL", "MARIADB, MARIADB" })
	@DisplayName("A transaction on another database, whatever its vendor, continues, and one warning names the lock")
	void elsewhere(Database locks, Database data, CapturedOutput output) {
		JoinedReactiveTransactions transactions = transactions(locks);
		inTransaction(connections(data), (connection) -> {
			assertThat(holds(transactions, connection)).isTrue();
			assertThat(holds(transactions, connection)).isTrue();
			execute(connection, "create temporary table continued (id int)");
		});
		assertThat(output).containsOnlyOnce("under lock 'joined' is not on the database of the locks");
	}

	@Test
	@DisplayName("A transaction whose driver has no savepoints continues, and a warning names the lock")
	void noSavepoints(CapturedOutput output) {
		inTransaction(connections(Database.H2), (connection) -> {
			Connection limited = Mockito.mock(Connection.class, AdditionalAnswers.delegatesTo(connection));
			Mockito.doThrow(UnsupportedOperationException.class).when(limited).createSavepoint(Mockito.anyString());
			assertThat(holds(transactions(Database.H2), limited)).isTrue();
		});
		assertThat(output).containsOnlyOnce("under lock 'joined' is not on the database of the locks");
	}

	private JoinedReactiveTransactions transactions(Database locks) {
		LockTable table = locks.locks(TABLE, "instance");
		return new JoinedReactiveTransactions(table, new ResultTable(table, TABLE));
	}

	private ConnectionFactory connections(Database database) {
		return ConnectionFactories.get(switch (database) {
			case H2 -> "r2dbc:h2:mem:///" + this.memory;
			case POSTGRESQL ->
				"r2dbc:postgresql://postgres@127.0.0.1:%d/postgres".formatted(LocalPostgreSql.shared().port());
			case MARIADB, MYSQL -> "r2dbc:mariadb://root@127.0.0.1:%d/test".formatted(LocalMariaDb.shared().port());
		});
	}

	private static void inTransaction(ConnectionFactory connections, Work work) {
		Connection connection = Mono.from(connections.create()).block();
		try {
			Mono.from(connection.beginTransaction()).block();
			work.on(connection);
			Mono.from(connection.rollbackTransaction()).block();
		}
		finally {
			Mono.from(connection.close()).block();
		}
	}

	private static boolean holds(JoinedReactiveTransactions transactions, Connection connection) {
		return transactions
			.holdUntilCommit(KEY, ROW, TOKEN, null,
					new ReactiveTransaction(connection, java.sql.Connection.TRANSACTION_READ_COMMITTED))
			.toCompletableFuture()
			.join();
	}

	private static void execute(Connection connection, String sql) {
		Flux.<Result>from(connection.createStatement(sql).execute()).flatMap(Result::getRowsUpdated).blockLast();
	}

	/** Statements in a transaction. */
	private interface Work {

		void on(Connection connection);

	}

}
