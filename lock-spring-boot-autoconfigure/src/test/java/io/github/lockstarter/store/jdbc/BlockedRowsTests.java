package io.github.lockstarter.store.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.registry.DefaultLockRegistry;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.LockStore.Renewal;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.testing.LocalPostgreSql;
import io.github.lockstarter.testing.TestDatabase;
import io.github.lockstarter.testing.TestLocks;

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

	private final String key = UUID.randomUUID().toString();

	@ParameterizedTest
	@MethodSource("io.github.lockstarter.testing.TestDatabase#servers")
	@DisplayName("While many releases are blocked, other locks are renewed over the same connection")
	void blockedReleases(TestDatabase database) throws SQLException {
		HikariConfig settings = new HikariConfig();
		settings.setJdbcUrl(database.url());
		JdbcLockStore store = new JdbcLockStore(settings, 2, "locks", true, TIMEOUT, null);
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
	@Tag("once")
	@DisplayName("A hand-over whose row is locked ends within the wait and the time-out, and the lock is free when the row is")
	void blockedHandOver() throws SQLException {
		try (TestStores stores = new TestStores(LocalPostgreSql.shared().url(), TIMEOUT);
				DefaultLockRegistry locks = TestLocks.on(stores.first());
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

	@ParameterizedTest
	@MethodSource
	@DisplayName("A locked table is a failure of the store, and no held lock; then the lock is granted")
	void lockedTable(TestDatabase database, String lock) throws SQLException {
		HikariConfig settings = new HikariConfig();
		settings.setJdbcUrl(database.url());
		JdbcLockStore store = new JdbcLockStore(settings, 2, "blocked_locks", true, TIMEOUT, null);
		store.afterPropertiesSet();
		try (DefaultLockRegistry locks = TestLocks.on(store);
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

	private StoredLock acquire(JdbcLockStore store, String suffix) {
		StoredLock lock = store.lock(new LockKey("blocked", this.key + "-" + suffix));
		assertThat(lock.acquire(AcquireCommand.of("a", TTL))).succeedsWithin(SOON).isInstanceOf(Granted.class);
		return lock;
	}

}
