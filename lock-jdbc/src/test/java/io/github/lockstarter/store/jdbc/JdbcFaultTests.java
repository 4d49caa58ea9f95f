package io.github.lockstarter.store.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.registry.DefaultLockRegistry;
import io.github.lockstarter.testing.LocalDatabase;
import io.github.lockstarter.testing.LocalMySql;
import io.github.lockstarter.testing.LocalPostgreSql;
import io.github.lockstarter.testing.TcpProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Databases that are killed, frozen, disconnected and altered by hand.
 */
@Tag("database")
class JdbcFaultTests {

	/** The time since its last use in which a connection is not validated, in ms. */
	private static final String NOT_VALIDATED = "com.zaxxer.hikari.aliveBypassWindowMs";

	private static final Duration SOON = Duration.ofSeconds(30);

	private static final Duration TIMEOUT = Duration.ofSeconds(1);

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofMinutes(2));

	private static final Executor NEW_THREAD = (task) -> new Thread(task).start();

	@AutoClose
	private static final LocalPostgreSql postgreSql = LocalPostgreSql.started();

	@AutoClose
	private static final LocalMySql mySql = LocalMySql.started();

	private final LockKey key = new LockKey("fault", UUID.randomUUID().toString());

	static List<LocalDatabase> databases() {
		return List.of(postgreSql, mySql);
	}

	@ParameterizedTest(autoCloseArguments = false)
	@MethodSource("databases")
	@DisplayName("While the database is frozen, callers get an answer within the timeout; then no lock without an owner remains, and calls work")
	void frozen(LocalDatabase database) {
		try (TestStores stores = new TestStores(database.url(), TIMEOUT);
				DefaultLockRegistry locks = new DefaultLockRegistry(stores.first(),
						LockOptions.of(Duration.ofSeconds(10)))) {
			awaitLock(locks, this.key).close();
			database.freeze();
			Stream<CompletableFuture<Optional<Lease>>> async = keys("async")
				.map((each) -> locks.tryAcquireAsync(each, OPTIONS).toCompletableFuture());
			Stream<CompletableFuture<Optional<Lease>>> blocking = keys("blocking")
				.map((each) -> CompletableFuture.supplyAsync(() -> locks.tryAcquire(each, OPTIONS), NEW_THREAD));
			List<CompletableFuture<Optional<Lease>>> acquires = Stream.concat(blocking, async).toList();
			assertThat(acquires).allSatisfy((acquire) -> assertThat(acquire).failsWithin(SOON)
				.withThrowableThat()
				.withCauseInstanceOf(LockStoreException.class));
			database.thaw();
			awaitLock(locks, this.key).close();
			Awaitility.await().atMost(SOON).until(() -> stores.held() == 0);
			Awaitility.await().during(Duration.ofMillis(300)).until(() -> stores.held() == 0);
		}
	}

	private Stream<LockKey> keys(String prefix) {
		return IntStream.range(0, 10).mapToObj((i) -> new LockKey("fault", prefix + this.key.key() + i));
	}

	@ParameterizedTest(autoCloseArguments = false)
	@MethodSource("databases")
	@DisplayName("While the database is down, calls get 503; after a restart, held locks are held, and their holders release them")
	void killed(LocalDatabase database) {
		try (TestStores stores = new TestStores(database.url(), TIMEOUT);
				DefaultLockRegistry locks = new DefaultLockRegistry(stores.first(),
						LockOptions.of(Duration.ofSeconds(10)));
				DefaultLockRegistry elsewhere = new DefaultLockRegistry(stores.other(),
						LockOptions.of(Duration.ofSeconds(10)))) {
			Lease lease = awaitLock(locks, this.key);
			database.kill();
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> elsewhere.acquire(this.key, OPTIONS));
			database.start();
			Awaitility.await()
				.atMost(SOON)
				.ignoreExceptions()
				.untilAsserted(() -> assertThat(elsewhere.tryAcquire(this.key, OPTIONS)).isEmpty());
			assertThat(lease.isHeld()).isTrue();
			lease.close();
			awaitLock(elsewhere, this.key).close();
		}
	}

	@ParameterizedTest(autoCloseArguments = false)
	@MethodSource("databases")
	@DisplayName("A release during a freeze is repeated")
	void lostRelease(LocalDatabase database) {
		try (TestStores stores = new TestStores(database.url(), TIMEOUT);
				DefaultLockRegistry locks = new DefaultLockRegistry(stores.first(),
						LockOptions.of(Duration.ofSeconds(10)))) {
			Lease async = awaitLock(locks, this.key);
			Lease blocking = awaitLock(locks, new LockKey("fault", "blocking" + this.key.key()));
			database.freeze();
			CompletableFuture<Void> closed = CompletableFuture.runAsync(blocking::close, NEW_THREAD);
			assertThat(async.releaseAsync()).succeedsWithin(SOON);
			assertThat(closed).succeedsWithin(SOON);
			database.thaw();
			Awaitility.await().atMost(SOON).ignoreExceptions().until(() -> stores.held() == 0);
		}
	}

	@ParameterizedTest(autoCloseArguments = false)
	@MethodSource("databases")
	@DisplayName("When connections are reset or silent, releases and undos are repeated over other connections")
	void brokenConnections(LocalDatabase database) {
		try (TcpProxy proxy = new TcpProxy(database.port());
				TestStores stores = new TestStores(database.url(), TIMEOUT);
				DefaultLockRegistry locks = new DefaultLockRegistry(stores.another(database.url(proxy.port())),
						LockOptions.of(Duration.ofSeconds(10)))) {
			for (int i = 0; i < 6; i++) {
				Lease lease = awaitLock(locks, this.key);
				proxy.dropReplies();
				CompletableFuture<Optional<Lease>> ghost = locks
					.tryAcquireAsync(new LockKey("fault", this.key.key() + i), OPTIONS)
					.toCompletableFuture();
				CompletableFuture<Void> release = lease.releaseAsync().toCompletableFuture();
				if (i % 2 == 0) {
					proxy.reset();
				}
				else {
					assertThat(release).succeedsWithin(SOON);
				}
				assertThat(ghost.handle((granted, failure) -> true)).succeedsWithin(SOON);
				proxy.mend();
				ghost.exceptionally((failure) -> Optional.empty()).join().ifPresent(Lease::close);
				Awaitility.await().atMost(SOON).until(() -> stores.held() == 0);
			}
		}
	}

	@ParameterizedTest(autoCloseArguments = false)
	@MethodSource("databases")
	@DisplayName("A table altered by hand results in 503 with the database's message; after the repair, the next call works")
	void alteredTable(LocalDatabase database) {
		try (TestStores stores = new TestStores(database.url(), TIMEOUT);
				DefaultLockRegistry locks = new DefaultLockRegistry(stores.first(),
						LockOptions.of(Duration.ofSeconds(10)))) {
			awaitLock(locks, this.key).close();
			stores.execute("ALTER TABLE locks RENAME TO elsewhere");
			Awaitility.await()
				.untilAsserted(() -> assertThatExceptionOfType(LockStoreException.class)
					.isThrownBy(() -> locks.acquire(this.key, OPTIONS))
					.withStackTraceContaining("locks"));
			stores.execute("ALTER TABLE elsewhere RENAME TO locks");
			awaitLock(locks, this.key).close();
		}
	}

	@Test
	@DisplayName("A read-only PostgreSQL results in 503; when it is writable again, the next call works")
	void readOnly() {
		try (TestStores stores = new TestStores(postgreSql.url(), TIMEOUT)) {
			stores.execute("ALTER DATABASE postgres SET default_transaction_read_only = on");
			try (DefaultLockRegistry locks = new DefaultLockRegistry(stores.another(postgreSql.url()),
					LockOptions.of(Duration.ofSeconds(10)))) {
				Awaitility.await()
					.untilAsserted(() -> assertThatExceptionOfType(LockStoreException.class)
						.isThrownBy(() -> locks.acquire(this.key, OPTIONS))
						.withStackTraceContaining("read-only"));
			}
			finally {
				stores.execute("SET default_transaction_read_only = off",
						"ALTER DATABASE postgres RESET default_transaction_read_only");
			}
			try (DefaultLockRegistry locks = new DefaultLockRegistry(stores.another(postgreSql.url()),
					LockOptions.of(Duration.ofSeconds(10)))) {
				awaitLock(locks, this.key).close();
			}
		}
	}

	@Test
	@DisplayName("When PostgreSQL terminates the listening connection, waiters poll until they are notified again")
	void terminatedListener() {
		try (TestStores stores = new TestStores(postgreSql.url());
				DefaultLockRegistry locks = new DefaultLockRegistry(stores.first(),
						LockOptions.of(Duration.ofSeconds(10)));
				DefaultLockRegistry elsewhere = new DefaultLockRegistry(stores.other(),
						LockOptions.of(Duration.ofSeconds(10)))) {
			LockOptions waiting = OPTIONS.withWaitTime(Duration.ofMinutes(1));
			for (int i = 0; i < 3; i++) {
				Lease lease = awaitLock(locks, this.key);
				CompletableFuture<Optional<Lease>> waiter = elsewhere.tryAcquireAsync(this.key, waiting)
					.toCompletableFuture();
				Awaitility.await().until(() -> stores.rows("locks WHERE waiting IS NOT NULL") == 1);
				stores.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'");
				lease.close();
				assertThat(waiter).succeedsWithin(SOON).matches(Optional::isPresent);
				waiter.join().orElseThrow().close();
			}
		}
	}

	@Test
	@DisplayName("A statement that PostgreSQL rolls back because of a deadlock or serialization failure is repeated")
	void rolledBack() {
		try (TestStores stores = new TestStores(postgreSql.url());
				DefaultLockRegistry locks = new DefaultLockRegistry(stores.first(),
						LockOptions.of(Duration.ofSeconds(10)))) {
			locks.acquire(this.key, OPTIONS).close();
			stores.execute("CREATE SEQUENCE attempts", """
					CREATE FUNCTION succeed_the_third_time() RETURNS trigger AS $$
					DECLARE attempt bigint := nextval('attempts') % 3;
					BEGIN
					  IF attempt = 1 THEN RAISE 'deadlock' USING ERRCODE = '40P01'; END IF;
					  IF attempt = 2 THEN RAISE 'conflict' USING ERRCODE = '40001'; END IF;
					  RETURN NEW;
					END $$ LANGUAGE plpgsql""",
					"CREATE TRIGGER rolls_back BEFORE UPDATE ON locks FOR EACH ROW EXECUTE FUNCTION succeed_the_third_time()");
			try {
				locks.acquire(this.key, OPTIONS).close();
				assertThat(locks.tryAcquireAsync(this.key, OPTIONS)
					.thenCompose((lease) -> lease.orElseThrow().releaseAsync())).succeedsWithin(SOON);
				assertThat(stores.rows("attempts WHERE last_value >= 12")).isOne();
			}
			finally {
				stores.execute("DROP TRIGGER rolls_back ON locks", "DROP FUNCTION succeed_the_third_time",
						"DROP SEQUENCE attempts");
			}
		}
	}

	@Test
	@DisplayName("A statement that PostgreSQL executes long after its repetition does not lock for an owner that has released")
	void lateStatement() throws SQLException {
		// Otherwise, after half a second, the pool validates the connection with a
		// query of its own.
		System.setProperty(NOT_VALIDATED, "600000");
		try (TcpProxy proxy = new TcpProxy(postgreSql.port());
				TestStores stores = new TestStores(postgreSql.url());
				DefaultLockRegistry locks = new DefaultLockRegistry(
						stores.another(postgreSql.url(proxy.port()) + "&ApplicationName=late"),
						LockOptions.of(Duration.ofSeconds(10)))) {
			locks.acquire(this.key, OPTIONS).close();
			try (Connection connection = stores.connection();
					Statement statement = connection.createStatement();
					ResultSet backends = statement
						.executeQuery("SELECT pid FROM pg_stat_activity WHERE application_name = 'late'")) {
				while (backends.next()) {
					postgreSql.freeze(backends.getLong(1));
				}
			}
			long passed = proxy.passedBytes();
			CompletableFuture<Optional<Lease>> acquired = locks.tryAcquireAsync(this.key, OPTIONS)
				.toCompletableFuture();
			Awaitility.await().until(() -> proxy.passedBytes() > passed);
			proxy.reset();
			assertThat(acquired).succeedsWithin(SOON).matches(Optional::isPresent);
			acquired.join().orElseThrow().close();
			String row = "FROM locks WHERE lock_key = 'fault:%s'".formatted(this.key.key());
			long token = stores.query("SELECT token " + row);
			postgreSql.thaw();
			Awaitility.await().until(() -> stores.query("SELECT token " + row) > token);
			Awaitility.await().atMost(SOON).until(() -> stores.held() == 0);
		}
		finally {
			System.clearProperty(NOT_VALIDATED);
		}
	}

	@Test
	@DisplayName("While MariaDB or MySQL is read-only, calls fail with its message; then the next call works")
	void readOnlyMySql() {
		try (TestStores stores = new TestStores(mySql.url())) {
			// The administrator can still write.
			stores.execute("CREATE USER IF NOT EXISTS application", "GRANT ALL ON test.* TO application");
			try (DefaultLockRegistry locks = new DefaultLockRegistry(
					stores.another(mySql.url().replace("user=root", "user=application")),
					LockOptions.of(Duration.ofSeconds(10)))) {
				awaitLock(locks, this.key).close();
				stores.execute("SET GLOBAL read_only = ON");
				try {
					assertThatExceptionOfType(LockStoreException.class)
						.isThrownBy(() -> locks.acquire(this.key, OPTIONS))
						.withStackTraceContaining("read-only");
				}
				finally {
					stores.execute("SET GLOBAL read_only = OFF");
				}
				awaitLock(locks, this.key).close();
			}
		}
	}

	@Test
	@DisplayName("After a failover to a lagging replica, holders of lost locks are notified, and fencing tokens grow")
	void failover() {
		LockOptions options = LockOptions.of(Duration.ofSeconds(15));
		try (TestStores stores = new TestStores(postgreSql.url());
				DefaultLockRegistry locks = new DefaultLockRegistry(stores.first(),
						LockOptions.of(Duration.ofSeconds(10)));
				DefaultLockRegistry elsewhere = new DefaultLockRegistry(stores.other(),
						LockOptions.of(Duration.ofSeconds(10)))) {
			locks.acquire(this.key, options).close();
			postgreSql.beginLag();
			Lease forgotten = awaitLock(locks, this.key, options);
			CompletableFuture<Void> lost = new CompletableFuture<>();
			forgotten.onLost(() -> lost.complete(null));
			postgreSql.failOver();
			Lease next = awaitLock(elsewhere, this.key, options);
			assertThat(next.fencingToken()).isGreaterThan(forgotten.fencingToken());
			assertThat(lost).succeedsWithin(SOON);
			next.close();
		}
	}

	private static Lease awaitLock(DefaultLockRegistry locks, LockKey key) {
		return awaitLock(locks, key, OPTIONS);
	}

	private static Lease awaitLock(DefaultLockRegistry locks, LockKey key, LockOptions options) {
		return Awaitility.await()
			.atMost(SOON)
			.ignoreExceptions()
			.until(() -> locks.tryAcquire(key, options), Optional::isPresent)
			.orElseThrow();
	}

}
