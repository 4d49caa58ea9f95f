package io.github.lockstarter.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.registry.DefaultLockRegistry;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.LockStore.Renewal;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.testing.LocalMySql;
import io.github.lockstarter.testing.LocalPostgreSql;
import io.github.lockstarter.testing.TcpProxy;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Statements that fail because of other transactions, of lost connections, or of an
 * administrator.
 */
class RepeatedStatementsTests {

	private static final Duration TTL = Duration.ofMinutes(2);

	private static final Duration SOON = Duration.ofSeconds(30);

	private static final String POSTGRESQL = LocalPostgreSql.shared().url();

	/** Some tests need its sequences. */
	@AutoClose
	private static final LocalMySql mariaDb = LocalMySql.mariaDb();

	private final LockKey key = new LockKey("repeated", UUID.randomUUID().toString());

	private final String row = "lock_key = 'repeated:%s'".formatted(this.key.key());

	@Test
	@DisplayName("After a hand-over whose connection was lost, the lock is free as soon as the database answers")
	void lostHandOver() {
		LocalPostgreSql server = LocalPostgreSql.shared();
		try (TcpProxy proxy = new TcpProxy(server.port());
				TestStores stores = new TestStores(server.url(), Duration.ofSeconds(1))) {
			StoredLock lock = stores.another(server.url(proxy.port())).lock(this.key);
			assertThat(join(lock.acquire(AcquireCommand.of("a", TTL)))).isInstanceOf(Granted.class);
			proxy.cut();
			AcquireCommand next = AcquireCommand.of("b", TTL).notifying(() -> {
			}).after("a");
			assertThat(lock.acquire(next)).failsWithin(SOON);
			// What the engine does after the failure.
			assertThat(lock.release("a", null)).failsWithin(SOON);
			assertThat(stores.held()).isOne();
			proxy.mend();
			Awaitility.await().atMost(SOON).until(() -> stores.held() == 0);
		}
	}

	@Test
	@DisplayName("After a hand-over whose answer was lost, no lock without an owner remains")
	void lostAnswer() {
		LocalPostgreSql server = LocalPostgreSql.shared();
		try (TcpProxy proxy = new TcpProxy(server.port());
				TestStores stores = new TestStores(server.url(), Duration.ofSeconds(1))) {
			StoredLock lock = stores.another(server.url(proxy.port())).lock(this.key);
			join(lock.acquire(AcquireCommand.of("a", TTL)));
			proxy.dropReplies();
			AcquireCommand next = AcquireCommand.of("b", TTL).notifying(() -> {
			}).after("a");
			// The repetition may be in time.
			CompletionStage<Boolean> granted = lock.acquire(next)
				.handle((result, failure) -> result instanceof Granted);
			lock.release(join(granted) ? "b" : "a", null);
			proxy.mend();
			Awaitility.await().atMost(SOON).until(() -> stores.held() == 0);
			Awaitility.await().during(Duration.ofSeconds(1)).until(() -> stores.held() == 0);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "postgresql", "mariadb", "h2" })
	@DisplayName("A release and a renewal wait until another transaction has unlocked the row, and others continue meanwhile")
	void lockedRow(String database) throws SQLException {
		try (TestStores stores = new TestStores(url(database)); Connection other = stores.connection()) {
			StoredLock lock = stores.first().lock(this.key);
			StoredLock another = stores.first().lock(new LockKey("repeated", this.key.key() + "2"));
			join(lock.acquire(AcquireCommand.of("a", TTL)));
			join(another.acquire(AcquireCommand.of("a", TTL)));
			other.setAutoCommit(false);
			LockTable.execute(other, "SELECT * FROM locks WHERE %s FOR UPDATE".formatted(this.row));
			CompletionStage<Boolean> renewal = lock.renew("a", TTL);
			CompletionStage<Boolean> renewed = lock.renew("a", TTL);
			CompletionStage<Boolean> again = lock.renew("a", TTL);
			assertThat(join(another.renew("a", TTL))).isTrue();
			assertThat(join(another.release("a", null))).isTrue();
			CompletionStage<Boolean> release = lock.release("a", null);
			Awaitility.await().during(Duration.ofMillis(2500)).until(() -> !release.toCompletableFuture().isDone());
			other.rollback();
			assertThat(release).succeedsWithin(SOON).isEqualTo(true);
			assertThat(CompletableFuture.allOf(renewal.toCompletableFuture(), renewed.toCompletableFuture(),
					again.toCompletableFuture()))
				.succeedsWithin(SOON);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "postgresql", "mariadb", "h2" })
	@DisplayName("A row that is locked delays none of the other renewals that are sent together with its own")
	void lockedRowAmongMany(String database) throws SQLException {
		try (TestStores stores = new TestStores(url(database)); Connection other = stores.connection()) {
			List<Renewal> renewals = new ArrayList<>();
			for (int i = 0; i < 90; i++) {
				StoredLock lock = stores.first().lock(new LockKey("repeated", this.key.key() + i));
				join(lock.acquire(AcquireCommand.of("a", TTL)));
				renewals.add(new Renewal(lock, "a", TTL));
			}
			other.setAutoCommit(false);
			LockTable.execute(other,
					"SELECT * FROM locks WHERE lock_key = 'repeated:%s0' FOR UPDATE".formatted(this.key.key()));
			List<CompletionStage<Boolean>> answers = stores.first().renewAll(renewals);
			for (CompletionStage<Boolean> answer : answers.subList(1, answers.size())) {
				assertThat(join(answer)).isTrue();
			}
			other.rollback();
			for (Renewal each : renewals) {
				join(each.lock().release("a", null));
			}
		}
	}

	private static String url(String database) {
		return switch (database) {
			case "postgresql" -> POSTGRESQL;
			case "mariadb" -> mariaDb.url();
			default -> "jdbc:h2:mem:repeated;DB_CLOSE_DELAY=-1";
		};
	}

	@ParameterizedTest
	@CsvSource({ "mariadb, 40001, 1213", "mariadb, HY000, 1020", "mariadb, HY000, 3101", "mysql, HY000, 3101",
			"mysql, 70100, 1317" })
	@DisplayName("A statement that MySQL or MariaDB has rolled back or stopped is repeated")
	void rolledBack(String driver, String state, int code) {
		try (TestStores stores = new TestStores(mariaDb.url().replace(":mariadb:", ":%s:".formatted(driver)));
				DefaultLockRegistry locks = new DefaultLockRegistry(stores.first(),
						LockOptions.of(Duration.ofSeconds(10)))) {
			LockOptions options = LockOptions.of(TTL);
			locks.acquire(this.key, options).close();
			stores.execute("CREATE SEQUENCE attempts", """
					CREATE TRIGGER succeeds_the_third_time BEFORE UPDATE ON locks FOR EACH ROW
					IF NEXTVAL(attempts) %% 3 > 0 THEN
					  SIGNAL SQLSTATE '%s' SET MYSQL_ERRNO = %d, MESSAGE_TEXT = 'rolled back';
					END IF""".formatted(state, code));
			try {
				locks.acquire(this.key, options).close();
				assertThat(locks.tryAcquireAsync(this.key, options)
					.thenCompose((lease) -> lease.orElseThrow().releaseAsync())).succeedsWithin(SOON);
				assertThat(stores.query("SELECT NEXTVAL(attempts)")).isGreaterThanOrEqualTo(13);
			}
			finally {
				stores.execute("DROP TRIGGER succeeds_the_third_time", "DROP SEQUENCE attempts");
			}
		}
	}

	private static <T> T join(CompletionStage<T> stage) {
		return stage.toCompletableFuture().join();
	}

}
