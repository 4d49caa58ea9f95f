package io.github.lockstarter.store.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import com.zaxxer.hikari.HikariConfig;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.Result;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.ReactiveTransaction;
import io.github.lockstarter.testing.LocalMySql;
import io.github.lockstarter.testing.LocalPostgreSql;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Transactions of the application, most of them in PostgreSQL, after they have checked
 * their lock.
 */
@Tag("database")
class CommitChecksTests {

	private static final Duration SOON = Duration.ofSeconds(30);

	private static final String SETTING = "SELECT current_setting('lock_timeout')";

	@AutoClose
	private static final TestStores stores = new TestStores(LocalPostgreSql.shared().url());

	private final LockKey key = new LockKey("commit", UUID.randomUUID().toString());

	private final String row = "commit:" + this.key.key();

	private final LockTable table = Database.POSTGRESQL.locks("locks", "instance");

	@ParameterizedTest
	@ValueSource(strings = { "SET lock_timeout = 0", "SET lock_timeout = '7s'", "SET LOCAL lock_timeout = '8s'" })
	@DisplayName("The rest of a transaction waits for rows as long as before its check, whether the lock is held or lost")
	void restored(String setting) throws SQLException {
		long token = acquire();
		try (Connection connection = stores.connection()) {
			connection.setAutoCommit(false);
			LockTable.execute(connection, setting);
			String before = setting(connection);
			assertThat(this.table.holdUntilCommit(connection, this.row, token)).isTrue();
			assertThat(setting(connection)).isEqualTo(before);
			assertThat(this.table.holdUntilCommit(connection, this.row, token + 1)).isFalse();
			assertThat(setting(connection)).isEqualTo(before);
			connection.commit();
			assertThat(setting(connection)).isEqualTo(setting.contains("LOCAL") ? "0" : before);
		}
	}

	@Test
	@DisplayName("The check itself waits for its row longer than the application allows")
	void waits() throws SQLException {
		long token = acquire();
		try (Connection connection = stores.connection(); Connection other = stores.connection()) {
			other.setAutoCommit(false);
			LockTable.execute(other, "SELECT 1 FROM locks WHERE lock_key = '%s' FOR UPDATE".formatted(this.row));
			connection.setAutoCommit(false);
			LockTable.execute(connection, "SET lock_timeout = '50ms'");
			CompletableFuture<Boolean> held = new CompletableFuture<>();
			Thread check = new Thread(() -> {
				try {
					held.complete(this.table.holdUntilCommit(connection, this.row, token));
				}
				catch (SQLException ex) {
					held.completeExceptionally(ex);
				}
			});
			check.start();
			Awaitility.await().during(Duration.ofMillis(500)).until(() -> !held.isDone());
			other.rollback();
			assertThat(held).succeedsWithin(SOON).isEqualTo(true);
			assertThat(setting(connection)).isEqualTo("50ms");
		}
	}

	@Test
	@DisplayName("The rest of a reactive transaction waits for rows as long as before its check")
	void reactive() {
		long token = acquire();
		JoinedReactiveTransactions transactions = new JoinedReactiveTransactions(this.table,
				new ResultTable(this.table, "locks"));
		io.r2dbc.spi.Connection connection = Mono
			.from(ConnectionFactories
				.get("r2dbc:postgresql://postgres@127.0.0.1:%d/postgres".formatted(LocalPostgreSql.shared().port()))
				.create())
			.block();
		try {
			Mono.from(connection.beginTransaction()).block();
			assertThat(transactions.holdUntilCommit(new LockRow(this.key, this.row), token, null,
					new ReactiveTransaction(connection, Connection.TRANSACTION_READ_COMMITTED)))
				.succeedsWithin(SOON)
				.isEqualTo(true);
			String setting = Flux.<Result>from(connection.createStatement(SETTING).execute())
				.flatMap((result) -> result.map((row, metadata) -> row.get(0, String.class)))
				.blockLast();
			assertThat(setting).isEqualTo("0");
		}
		finally {
			Mono.from(connection.close()).block();
		}
	}

	static Stream<Arguments> names() {
		return Stream
			.of("jdbc:h2:mem:commit;DB_CLOSE_DELAY=-1", LocalPostgreSql.shared().url(), LocalMySql.shared().url(),
					LocalMySql.shared().urlOfOtherDriver())
			.flatMap((url) -> Stream.of("commit_app.locks", "COMMIT_LOCKS", "commit_Locks")
				.map((table) -> Arguments.of(url, table)));
	}

	@ParameterizedTest
	@MethodSource
	@DisplayName("In each database, and with each kind of name of the table, the check finds the lock of its token only")
	void names(String url, String name) throws SQLException {
		try (Connection connection = DriverManager.getConnection(url)) {
			LockTable.execute(connection, "CREATE SCHEMA IF NOT EXISTS commit_app");
			HikariConfig settings = new HikariConfig();
			settings.setJdbcUrl(url);
			JdbcLockStore store = new JdbcLockStore(JdbcLockStoreSettings.of(settings)
				.withConnections(2)
				.withTable(name)
				.withCreateTables(true)
				.withCommandTimeout(SOON));
			try {
				store.afterPropertiesSet();
				long token = acquire(store);
				LockTable named = Database.of(url).orElseThrow().locks(name, "instance");
				named.findHome(connection);
				connection.setAutoCommit(false);
				assertThat(named.holdUntilCommit(connection, this.row, token)).isTrue();
				assertThat(named.holdUntilCommit(connection, this.row, token + 1)).isFalse();
				connection.rollback();
			}
			finally {
				store.destroy();
			}
		}
	}

	private long acquire() {
		return acquire(stores.first());
	}

	private long acquire(JdbcLockStore store) {
		return ((Granted) store.lock(this.key)
			.acquire(AcquireCommand.of("a", Duration.ofMinutes(2)))
			.toCompletableFuture()
			.join()).fencingToken();
	}

	private static String setting(Connection connection) throws SQLException {
		try (Statement statement = connection.createStatement(); ResultSet row = statement.executeQuery(SETTING)) {
			row.next();
			return row.getString(1);
		}
	}

}
