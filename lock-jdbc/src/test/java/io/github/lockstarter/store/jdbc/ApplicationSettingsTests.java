package io.github.lockstarter.store.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.zaxxer.hikari.HikariConfig;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.registry.DefaultLockRegistry;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.LockStore.Renewal;
import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.testing.LocalMySql;
import io.github.lockstarter.testing.LocalPgBouncer;
import io.github.lockstarter.testing.LocalPostgreSql;
import io.github.lockstarter.store.test.TestResults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Settings of the application, its users and its administrators that the store does not
 * choose, and must not change.
 */
@Tag("database")
@ExtendWith(OutputCaptureExtension.class)
class ApplicationSettingsTests {

	private static final Duration TTL = Duration.ofMinutes(2);

	private static final Duration TIMEOUT = Duration.ofSeconds(30);

	private static final String MARIADB = LocalMySql.shared().url();

	/** Each new session has an unusual isolation level. */
	@AutoClose
	private static final LocalPostgreSql serializable = serializable();

	@AutoClose
	private static final LocalPgBouncer pooler = LocalPgBouncer.started(serializable);

	private final LockKey key = new LockKey("settings", UUID.randomUUID().toString());

	private static LocalPostgreSql serializable() {
		LocalPostgreSql server = LocalPostgreSql.started();
		try (Connection connection = DriverManager.getConnection(server.url())) {
			LockTable.execute(connection, "ALTER DATABASE postgres SET default_transaction_isolation = 'serializable'");
			return server;
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	@DisplayName("Behind a pooler, the sessions of the application stay as they were after each operation of the store")
	void pooled() throws SQLException {
		List<String> before = sessions(pooler);
		try (TestStores stores = new TestStores(pooler.url())) {
			StoredLock one = stores.first().lock(this.key);
			StoredLock other = stores.first().lock(new LockKey("settings", this.key.key() + "2"));
			assertThat(join(one.acquire(AcquireCommand.of("a", TTL)))).isInstanceOf(Granted.class);
			assertThat(join(other.acquire(AcquireCommand.of("a", TTL)))).isInstanceOf(Granted.class);
			CompletableFuture<Void> notified = new CompletableFuture<>();
			assertThat(join(one.acquire(AcquireCommand.of("b", TTL).notifying(() -> notified.complete(null)))))
				.isInstanceOf(Held.class);
			assertThat(notified).succeedsWithin(TIMEOUT);
			assertThat(stores.first().renewAll(List.of(new Renewal(one, "a", TTL), new Renewal(other, "a", TTL))))
				.allSatisfy((renewed) -> assertThat(join(renewed)).isTrue());
			assertThat(join(
					one.release("a", TestResults.stored(new ResultKey("result", Duration.ofHours(1), true), "text"))))
				.isTrue();
			assertThat(join(other.release("a", null))).isTrue();
			stores.purge();
			assertThat(sessions(pooler)).isEqualTo(before);
		}
	}

	@ParameterizedTest
	@CsvSource({ "transaction, default_pool_size = 3, server_round_robin = 1",
			"session, default_pool_size = 30, server_reset_query =" })
	@DisplayName("Behind a pooler of any mode no session listens, also after the store was closed, and waiters poll")
	void listensToNoPooler(String mode, String size, String other) throws SQLException {
		try (LocalPgBouncer sessions = LocalPgBouncer.started(serializable, mode, size, other)) {
			try (TestStores stores = new TestStores(sessions.url())) {
				AtomicInteger woken = new AtomicInteger();
				StoredLock lock = stores.first().lock(this.key);
				join(lock.acquire(AcquireCommand.of("a", TTL)));
				join(stores.first()
					.lock(this.key)
					.acquire(AcquireCommand.of("b", TTL).notifying(woken::incrementAndGet)));
				Awaitility.await().until(() -> woken.get() > 3);
				assertThat(listening()).isZero();
				assertThat(join(lock.release("a", null))).isTrue();
			}
			assertThat(sessions(sessions)).allSatisfy((session) -> assertThat(session).endsWith(" 0"));
		}
	}

	private static long listening() throws SQLException {
		try (Connection connection = DriverManager.getConnection(serializable.url());
				Statement statement = connection.createStatement();
				ResultSet row = statement
					.executeQuery("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")) {
			row.next();
			return row.getLong(1);
		}
	}

	/** Returns the settings of all sessions of the pooler. */
	private static List<String> sessions(LocalPgBouncer pooler) throws SQLException {
		List<Connection> connections = new ArrayList<>();
		List<String> settings = new ArrayList<>();
		try {
			for (int i = 0; i < 3; i++) {
				Connection connection = DriverManager.getConnection(pooler.url());
				connections.add(connection);
				connection.setAutoCommit(false);
				try (Statement statement = connection.createStatement();
						ResultSet row = statement.executeQuery(
								"SELECT current_setting('transaction_isolation') || ' ' || current_setting('lock_timeout') || ' ' || current_setting('transaction_read_only') || ' ' || (SELECT count(*) FROM pg_listening_channels())")) {
					row.next();
					settings.add(row.getString(1));
				}
			}
			return settings;
		}
		finally {
			for (Connection each : connections) {
				each.close();
			}
		}
	}

	@ParameterizedTest
	@MethodSource
	@DisplayName("Where transactions are serializable by default, contention for a lock is no failure")
	void contention(String url, CapturedOutput output) {
		try (TestStores stores = new TestStores(url);
				DefaultLockRegistry locks = new DefaultLockRegistry(stores.first(),
						LockOptions.of(Duration.ofSeconds(10)));
				DefaultLockRegistry elsewhere = new DefaultLockRegistry(stores.other(),
						LockOptions.of(Duration.ofSeconds(10)))) {
			LockOptions waiting = LockOptions.of(TTL).withWaitTime(TIMEOUT);
			CompletableFuture<?>[] callers = IntStream.range(0, 8).mapToObj((i) -> CompletableFuture.runAsync(() -> {
				for (int j = 0; j < 10; j++) {
					((i % 2 == 0) ? locks : elsewhere).acquire(this.key, waiting).close();
				}
			}, (task) -> new Thread(task).start())).toArray(CompletableFuture[]::new);
			assertThat(CompletableFuture.allOf(callers)).succeedsWithin(Duration.ofMinutes(1));
			assertThat(stores.held()).isZero();
		}
		assertThat(output).doesNotContain("may not have been released");
	}

	static Stream<String> contention() {
		return Stream.of(serializable.url(), pooler.url());
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			mariadb | SET SESSION innodb_lock_wait_timeout = 60
			mysql   | SET SESSION innodb_lock_wait_timeout = 60
			mariadb | SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE
			mariadb | SET SESSION innodb_lock_wait_timeout = 60; SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE
			h2      | SET LOCK_TIMEOUT 60000
			h2      | SET LOCK_TIMEOUT 60000; SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE
			postgresql | SET lock_timeout = 60000; SET default_transaction_isolation = 'serializable'
			""")
	@DisplayName("The initial statement of the application's connections does not change that a locked row is a held lock")
	void initialStatement(String database, String sql) throws SQLException {
		String url = switch (database) {
			case "h2" -> "jdbc:h2:mem:initial;DB_CLOSE_DELAY=-1";
			case "postgresql" -> LocalPostgreSql.shared().url();
			default -> MARIADB.replace(":mariadb:", ":%s:".formatted(database)) + "&allowMultiQueries=true";
		};
		try (TestStores stores = new TestStores(url, Duration.ofSeconds(10)); Connection other = stores.connection()) {
			HikariConfig settings = new HikariConfig();
			settings.setJdbcUrl(url);
			settings.setConnectionInitSql(sql);
			JdbcLockStore store = stores.another(settings, Duration.ofSeconds(10));
			StoredLock lock = store.lock(this.key);
			join(lock.acquire(AcquireCommand.of("a", TTL)));
			join(lock.release("a", null));
			other.setAutoCommit(false);
			LockTable.execute(other,
					"SELECT * FROM locks WHERE lock_key = 'settings:%s' FOR UPDATE".formatted(this.key.key()));
			assertThat(join(lock.acquire(AcquireCommand.of("b", TTL)))).isEqualTo(new Held(Duration.ZERO));
			other.rollback();
		}
	}

	@ParameterizedTest
	@CsvSource({ "mariadb, BEFORE INSERT", "mariadb, AFTER INSERT", "mariadb, BEFORE UPDATE", "mariadb, AFTER UPDATE",
			"mysql, BEFORE INSERT", "mysql, AFTER UPDATE" })
	@DisplayName("With an audit trigger on the table, a free lock is granted, a held one is not, and an owner keeps its token")
	void trigger(String driver, String time) {
		try (TestStores stores = new TestStores(MARIADB.replace(":mariadb:", ":%s:".formatted(driver)))) {
			stores.execute("CREATE TABLE IF NOT EXISTS audit (id BIGINT AUTO_INCREMENT PRIMARY KEY, text VARCHAR(255))",
					"CREATE TRIGGER audits %s ON locks FOR EACH ROW INSERT INTO audit (text) VALUES (NEW.lock_key)"
						.formatted(time));
			try {
				StoredLock lock = stores.first().lock(this.key);
				Granted first = (Granted) join(lock.acquire(AcquireCommand.of("a", TTL)));
				assertThat(join(lock.acquire(AcquireCommand.of("b", TTL)))).isInstanceOf(Held.class);
				assertThat(join(lock.acquire(AcquireCommand.of("a", TTL)))).isEqualTo(first);
				assertThat(join(lock.release("a", null))).isTrue();
				AcquireResult next = join(lock.acquire(AcquireCommand.of("b", TTL)));
				assertThat(next).isInstanceOfSatisfying(Granted.class,
						(granted) -> assertThat(granted.fencingToken()).isGreaterThan(first.fencingToken()));
				assertThat(join(lock.release("b", null))).isTrue();
			}
			finally {
				stores.execute("DROP TRIGGER audits");
			}
		}
	}

	@Test
	@DisplayName("A table whose name is in upper case has a table of results in upper case")
	void upperCase() {
		try (TestStores stores = new TestStores(MARIADB)) {
			stores.execute("CREATE TABLE IF NOT EXISTS UPPER_LOCKS LIKE locks",
					"CREATE TABLE IF NOT EXISTS UPPER_LOCKS_RESULTS LIKE locks_results");
			HikariConfig database = new HikariConfig();
			database.setJdbcUrl(MARIADB);
			JdbcLockStore store = new JdbcLockStore(JdbcLockStoreSettings.of(database)
				.withConnections(2)
				.withTable("UPPER_LOCKS")
				.withCommandTimeout(TIMEOUT));
			try {
				store.afterPropertiesSet();
				StoredLock lock = store.lock(this.key);
				assertThat(join(lock.acquire(AcquireCommand.of("a", TTL)))).isInstanceOf(Granted.class);
				assertThat(join(lock.release("a",
						TestResults.stored(new ResultKey("result", Duration.ofHours(1), true), "text"))))
					.isTrue();
				assertThat(stores.rows("UPPER_LOCKS_RESULTS WHERE lock_key = 'settings:%s'".formatted(this.key.key())))
					.isOne();
			}
			finally {
				store.destroy();
			}
		}
		assertThat(Database.MARIADB.schema("app.LOCKS").toString())
			.contains("EXISTS app.LOCKS (", "EXISTS app.LOCKS_RESULTS (")
			.doesNotContain("locks");
		assertThat(Database.MARIADB.schema("APP.locks").toString()).contains("EXISTS APP.locks_results (");
	}

	@Test
	@DisplayName("If the binary log contains statements, the start fails, and the message names the setting to change")
	void statementLog() {
		try (TestStores stores = new TestStores(MARIADB)) {
			// The failure of a server with this setting, for the row that the start
			// checks.
			stores.execute("INSERT INTO locks VALUES ('', '', 1, %d)".formatted(Long.MAX_VALUE),
					"CREATE TRIGGER logs BEFORE UPDATE ON locks FOR EACH ROW SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1665, MESSAGE_TEXT = 'BINLOG_FORMAT = STATEMENT'");
			try {
				assertThatExceptionOfType(LockConfigurationException.class).isThrownBy(() -> stores.another(MARIADB))
					.withMessageContaining("BINLOG_FORMAT = STATEMENT")
					.satisfies((ex) -> assertThat(ex.getAction()).contains("binlog_format=ROW"));
			}
			finally {
				stores.execute("DROP TRIGGER logs", "DELETE FROM locks WHERE lock_key = ''");
			}
		}
	}

	private static <T> T join(CompletionStage<T> stage) {
		return stage.toCompletableFuture().join();
	}

}
