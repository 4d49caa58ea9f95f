package io.github.lockstarter.store.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.zaxxer.hikari.HikariConfig;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.mockito.Mockito;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.registry.DefaultLockRegistry;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.LockStore.Renewal;
import io.github.lockstarter.store.StoreCalls;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.testing.LocalPostgreSql;
import io.github.lockstarter.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Rows that a transaction of other code has locked for long.
 */
@Tag("database")
class BlockedRowsTests {

	private static final Duration TTL = Duration.ofMinutes(2);

	private static final Duration SOON = Duration.ofSeconds(30);

	private static final Duration TIMEOUT = Duration.ofSeconds(3);

	private static final Duration LONGER_THAN_ROWS = Duration.ofMillis(700);

	private final String key = UUID.randomUUID().toString();

	@ParameterizedTest
	@MethodSource("io.github.lockstarter.testing.TestDatabase#servers")
	@DisplayName("While many releases are blocked, other locks are renewed over the same connection")
	void blockedReleases(TestDatabase database) throws SQLException {
		HikariConfig settings = new HikariConfig();
		settings.setJdbcUrl(database.url());
		JdbcLockStore store = new JdbcLockStore(JdbcLockStoreSettings.of(settings)
			.withConnections(2)
			.withCreateTables(true)
			.withCommandTimeout(TIMEOUT));
		try (TestStores stores = new TestStores(database.url()); Connection other = stores.connection()) {
			store.afterPropertiesSet();
			List<StoredLock> blocked = IntStream.range(0, 50).mapToObj((i) -> acquire(store, "blocked" + i)).toList();
			StoredLock renewed = acquire(store, "renewed");
			StoredLock too = acquire(store, "too");
			// Without locks on gaps between rows.
			other.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
			other.setAutoCommit(false);
			LockTable.execute(other,
					"SELECT 1 FROM locks WHERE lock_key LIKE 'blocked:%s-blocked%%' FOR UPDATE".formatted(this.key));
			List<CompletionStage<Boolean>> releases = blocked.stream().map((each) -> each.release("a", null)).toList();
			for (int i = 0; i < 3; i++) {
				assertThat(renewed.renew("a", TTL)).succeedsWithin(SOON).isEqualTo(true);
				assertThat(store.renewAll(List.of(new Renewal(renewed, "a", TTL), new Renewal(too, "a", TTL))))
					.allSatisfy((each) -> assertThat(each).succeedsWithin(SOON).isEqualTo(true));
			}
			other.rollback();
			releases.forEach((each) -> assertThat(each.handle((released, failure) -> true)).succeedsWithin(SOON));
			Awaitility.await()
				.atMost(SOON)
				.until(() -> stores.rows("locks WHERE lock_key LIKE 'blocked:%s-blocked%%' AND expires_at > 0"
					.formatted(this.key)) == 0);
			renewed.release("a", null);
			too.release("a", null);
		}
		finally {
			store.destroy();
		}
	}

	@Test
	@DisplayName("A hand-over whose row is locked ends within the wait and the timeout, and the lock is free when the row is")
	void blockedHandOver() throws SQLException {
		try (TestStores stores = new TestStores(LocalPostgreSql.shared().url(), TIMEOUT);
				DefaultLockRegistry locks = new DefaultLockRegistry(stores.first(),
						LockOptions.of(Duration.ofSeconds(10)));
				Connection other = stores.connection()) {
			LockKey key = new LockKey("blocked", this.key);
			LockOptions options = LockOptions.of(TTL);
			Lease lease = locks.acquire(key, options);
			List<CompletableFuture<Optional<Lease>>> waiters = new ArrayList<>();
			for (int i = 0; i < 3; i++) {
				waiters
					.add(locks.tryAcquireAsync(key, options.withWaitTime(Duration.ofSeconds(2))).toCompletableFuture());
			}
			other.setAutoCommit(false);
			LockTable.execute(other,
					"SELECT 1 FROM locks WHERE lock_key = 'blocked:%s' FOR UPDATE".formatted(this.key));
			long begun = System.nanoTime();
			assertThat(lease.releaseAsync()).succeedsWithin(SOON);
			// The next waiter may use the lease of the first holder.
			waiters.forEach((each) -> assertThat(each.handle((granted, failure) -> {
				if (granted != null) {
					granted.ifPresent(Lease::releaseAsync);
				}
				return true;
			})).succeedsWithin(SOON));
			assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(8));
			other.rollback();
			Awaitility.await().atMost(SOON).ignoreExceptions().until(() -> {
				Optional<Lease> next = locks.tryAcquire(key, options);
				next.ifPresent(Lease::close);
				return next.isPresent();
			});
			Awaitility.await()
				.during(Duration.ofMillis(500))
				.atMost(SOON)
				.until(() -> stores
					.rows("locks WHERE lock_key = 'blocked:%s' AND expires_at > 0".formatted(this.key)) == 0);
		}
	}

	@Test
	@DisplayName("With a timeout shorter than the wait for a table, a renewal and a hand-over whose row is locked for a moment succeed")
	void shortTimeout() throws SQLException {
		try (TestStores stores = new TestStores(LocalPostgreSql.shared().url());
				Connection other = stores.connection()) {
			JdbcLockStore store = stores.another(stores.url(), Duration.ofSeconds(1));
			StoredLock lock = acquire(store, "short");
			other.setAutoCommit(false);
			lockRow(other, "short");
			CompletionStage<Boolean> renewal = lock.renew("a", TTL);
			CompletableFuture.delayedExecutor(300, TimeUnit.MILLISECONDS).execute(() -> rollback(other));
			assertThat(renewal).succeedsWithin(SOON).isEqualTo(true);
			lockRow(other, "short");
			CompletionStage<AcquireResult> handOver = lock.acquire(AcquireCommand.of("b", TTL).after("a"));
			CompletableFuture.delayedExecutor(300, TimeUnit.MILLISECONDS).execute(() -> rollback(other));
			assertThat(handOver).succeedsWithin(SOON).isInstanceOf(Granted.class);
			lock.release("b", null);
		}
	}

	@Test
	@DisplayName("A wait for a connection, and the time for which the process stands still, are no wait for the table")
	void waitsForRow() throws SQLException {
		AtomicLong clock = new AtomicLong();
		StoreCalls calls = Mockito.mock(StoreCalls.class);
		Mockito.when(calls.timeout()).thenReturn(SOON);
		Mockito.when(calls.nanoTime()).thenAnswer((call) -> clock.get());
		HikariConfig settings = new HikariConfig();
		settings.setJdbcUrl(LocalPostgreSql.shared().url());
		LockTable table = Database.POSTGRESQL.locks("locks", "instance");
		try (StorePool pool = StorePool.create(settings, new DatabaseUrl(settings.getJdbcUrl()), 1, SOON, table);
				ConnectionLane lane = new ConnectionLane("blocked-", pool, 1, 0, calls)) {
			CompletionStage<Integer> waits;
			try (Connection taken = pool.getConnection()) {
				assertThat(taken).isNotNull();
				waits = lane.run(blocked(() -> {
				}));
				Awaitility.await().until(() -> pool.getHikariPoolMXBean().getThreadsAwaitingConnection() == 1);
				pass(LONGER_THAN_ROWS);
				clock.addAndGet(LONGER_THAN_ROWS.toNanos());
			}
			assertThat(waits).succeedsWithin(SOON).isEqualTo(1);
			assertThat(lane.run(blocked(() -> pass(LONGER_THAN_ROWS)))).succeedsWithin(SOON).isEqualTo(1);
			Iterator<Duration> times = List.of(LONGER_THAN_ROWS, Duration.ZERO).iterator();
			assertThat(lane.run(blocked(() -> clock.addAndGet(times.next().toNanos())))).succeedsWithin(SOON)
				.isEqualTo(2);
		}
	}

	/** Returns statements whose result is how often they were blocked. */
	private static Statements<Integer> blocked(Runnable wait) {
		AtomicInteger runs = new AtomicInteger();
		return new Statements<>() {

			@Override
			public Integer run(Connection connection, PriorAttempt prior) throws SQLException {
				runs.incrementAndGet();
				wait.run();
				throw new SQLException("canceling statement due to lock timeout", "55P03");
			}

			@Override
			public Integer whenBlocked() {
				return runs.get();
			}

		};
	}

	private static void pass(Duration time) {
		Awaitility.await().pollDelay(time).until(() -> true);
	}

	@ParameterizedTest
	@MethodSource
	@DisplayName("A locked table is a failure of the store, and no held lock; then the lock is granted")
	void lockedTable(TestDatabase database, String lock) throws SQLException {
		HikariConfig settings = new HikariConfig();
		settings.setJdbcUrl(database.url());
		JdbcLockStore store = new JdbcLockStore(JdbcLockStoreSettings.of(settings)
			.withConnections(2)
			.withTable("blocked_locks")
			.withCreateTables(true)
			.withCommandTimeout(TIMEOUT));
		store.afterPropertiesSet();
		try (DefaultLockRegistry locks = new DefaultLockRegistry(store, LockOptions.of(Duration.ofSeconds(10)));
				Connection other = DriverManager.getConnection(database.url())) {
			LockKey key = new LockKey("blocked", this.key);
			locks.acquire(key, LockOptions.of(TTL)).close();
			other.setAutoCommit(false);
			LockTable.execute(other, lock);
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> locks.tryAcquire(key, LockOptions.of(TTL)));
			assertThat(locks.tryAcquireAsync(key, LockOptions.of(TTL))).failsWithin(SOON)
				.withThrowableThat()
				.withCauseInstanceOf(LockStoreException.class);
			CompletableFuture<Optional<Lease>> waits = locks
				.tryAcquireAsync(key, LockOptions.of(TTL).withWaitTime(SOON))
				.toCompletableFuture();
			other.rollback();
			if (database != TestDatabase.POSTGRESQL) {
				LockTable.execute(other, "UNLOCK TABLES");
			}
			assertThat(waits).succeedsWithin(SOON).matches(Optional::isPresent);
			waits.join().orElseThrow().close();
		}
		finally {
			store.destroy();
		}
	}

	static Stream<Arguments> lockedTable() {
		return TestDatabase.servers()
			.stream()
			.flatMap((each) -> (each != TestDatabase.POSTGRESQL)
					? Stream.of(Arguments.of(each, "LOCK TABLES blocked_locks WRITE"))
					: Stream.of(Arguments.of(each, "LOCK TABLE blocked_locks"),
							Arguments.of(each, "LOCK TABLE blocked_locks IN SHARE MODE"),
							Arguments.of(each, "ALTER TABLE blocked_locks ADD COLUMN more INT")));
	}

	private void lockRow(Connection other, String suffix) throws SQLException {
		LockTable.execute(other,
				"SELECT 1 FROM locks WHERE lock_key = 'blocked:%s-%s' FOR UPDATE".formatted(this.key, suffix));
	}

	private static void rollback(Connection connection) {
		try {
			connection.rollback();
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private StoredLock acquire(JdbcLockStore store, String suffix) {
		StoredLock lock = store.lock(new LockKey("blocked", this.key + "-" + suffix));
		assertThat(lock.acquire(AcquireCommand.of("a", TTL))).succeedsWithin(SOON).isInstanceOf(Granted.class);
		return lock;
	}

}
