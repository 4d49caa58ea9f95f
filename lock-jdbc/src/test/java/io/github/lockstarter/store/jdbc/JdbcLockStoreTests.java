package io.github.lockstarter.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariConfig;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.Capability;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.test.LockStoreContract;
import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.testing.LocalMySql;
import io.github.lockstarter.testing.LocalPgBouncer;
import io.github.lockstarter.testing.LocalPostgreSql;
import io.github.lockstarter.store.test.TestResults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class JdbcLockStoreTests {

	private static final Duration TTL = Duration.ofSeconds(30);

	/** The number of keys; set by {@code -Dpurged-keys=100000} for a longer test. */
	private static final int KEYS = Integer.getInteger("purged-keys", 2_000);

	private static final int AT_ONCE = 1_000;

	@AutoClose
	private static final TestStores postgreSql = new TestStores(LocalPostgreSql.shared().url());

	@AutoClose
	private static final LocalPgBouncer pooler = LocalPgBouncer.started(LocalPostgreSql.shared());

	@AutoClose
	private static final TestStores pooled = new TestStores(pooler.url());

	@AutoClose
	private static final TestStores mySql = new TestStores(LocalMySql.shared().url());

	@AutoClose
	private static final TestStores otherDriver = new TestStores(LocalMySql.shared().urlOfOtherDriver());

	@AutoClose
	private static final TestStores h2 = new TestStores("jdbc:h2:mem:locks;DB_CLOSE_DELAY=-1");

	/** The contract with one database, and tests for all databases. */
	abstract static class Contract extends LockStoreContract {

		private final TestStores stores;

		/** The number of statements of a rejection. */
		private final int rejection;

		private final LockKey key = new LockKey("jdbc", UUID.randomUUID().toString());

		Contract(TestStores stores, int rejection) {
			this.stores = stores;
			this.rejection = rejection;
		}

		@Override
		protected LockStore store() {
			return this.stores.first();
		}

		@Override
		protected LockStore otherInstance() {
			return this.stores.other();
		}

		@Override
		protected long locksInStore() {
			return this.stores.held();
		}

		@Test
		@DisplayName("Acquiring, renewing and releasing are one statement each, and a rejection is one or two")
		void countsStatements() {
			JdbcLockStore counted = this.stores.another(CountingDriver.url(this.stores.url()));
			StoredLock lock = counted.lock(this.key);
			CountingDriver.executed.clear();
			join(lock.acquire(AcquireCommand.of("a", TTL)));
			assertThat(CountingDriver.executed).hasSize(1);
			join(lock.acquire(AcquireCommand.of("b", TTL)));
			assertThat(CountingDriver.executed).hasSize(1 + this.rejection);
			join(lock.renew("a", TTL));
			assertThat(CountingDriver.executed).hasSize(2 + this.rejection);
			join(lock.release("a", null));
			assertThat(CountingDriver.executed).hasSize(3 + this.rejection);
		}

		@Test
		@DisplayName("After many keys and results, the tables are as small as before")
		void purges() {
			ResultKey result = new ResultKey("result", Duration.ofMillis(1), true);
			for (int first = 0; first < KEYS; first += AT_ONCE) {
				IntStream.range(first, first + AT_ONCE)
					.mapToObj((i) -> this.stores.first().lock(new LockKey("purge", this.key.key() + i)))
					.map((lock) -> lock.acquire(AcquireCommand.of("a", TTL))
						.thenCompose((granted) -> lock.release("a", TestResults.stored(result, "text"))))
					.toList()
					.forEach((released) -> assertThat(join(released)).isTrue());
			}
			assertThat(this.stores.rows("locks")).isGreaterThanOrEqualTo(KEYS);
			Awaitility.await().until(() -> {
				this.stores.purge();
				return this.stores.rows("locks") == this.stores.held()
						&& this.stores.rows("locks_results WHERE lock_key LIKE 'purge:%'") == 0;
			});
		}

		@Test
		@DisplayName("The row of a held lock is not removed, and fencing tokens grow after the removal of a row")
		void tokensGrowOverPurge() {
			StoredLock lock = this.stores.first().lock(this.key);
			long first = ((Granted) join(lock.acquire(AcquireCommand.of("a", TTL)))).fencingToken();
			this.stores.purge();
			assertThat(join(lock.release("a", null))).isTrue();
			Awaitility.await().until(() -> {
				this.stores.purge();
				return this.stores.rows("locks WHERE lock_key = 'jdbc:%s'".formatted(this.key.key())) == 0;
			});
			long second = ((Granted) join(lock.acquire(AcquireCommand.of("b", TTL)))).fencingToken();
			assertThat(second).isGreaterThan(first);
			join(lock.release("b", null));
		}

		@Test
		@DisplayName("If a transaction has locked the row, the lock is held, and other locks are granted")
		void lockedRow() throws SQLException {
			StoredLock lock = this.stores.first().lock(this.key);
			join(lock.acquire(AcquireCommand.of("a", TTL)));
			join(lock.release("a", null));
			try (Connection connection = this.stores.connection()) {
				connection.setAutoCommit(false);
				connection.createStatement()
					.execute("SELECT * FROM locks WHERE lock_key = 'jdbc:%s' FOR UPDATE".formatted(this.key.key()));
				// The default of an application.
				JdbcLockStore usual = this.stores.another(this.stores.url(), Duration.ofSeconds(3));
				AcquireResult rejected = join(usual.lock(this.key).acquire(AcquireCommand.of("b", TTL)));
				assertThat(rejected).isEqualTo(new Held(Duration.ZERO));
				StoredLock another = this.stores.first().lock(new LockKey("jdbc", this.key.key() + "2"));
				assertThat(join(another.acquire(AcquireCommand.of("b", TTL)))).isInstanceOf(Granted.class);
				join(another.release("b", null));
				connection.rollback();
			}
			assertThat(join(lock.acquire(AcquireCommand.of("b", TTL)))).isInstanceOf(Granted.class);
			join(lock.release("b", null));
		}

		@Test
		@DisplayName("Without tables the start fails, and the message contains the statements that create them")
		void noTables() {
			HikariConfig database = new HikariConfig();
			database.setJdbcUrl(this.stores.url());
			JdbcLockStore store = new JdbcLockStore(
					JdbcLockStoreSettings.of(database).withConnections(2).withTable("absent").withCommandTimeout(TTL));
			try {
				assertThatExceptionOfType(LockConfigurationException.class).isThrownBy(store::afterPropertiesSet)
					.satisfies((ex) -> assertThat(ex.getAction()).contains("CREATE TABLE IF NOT EXISTS absent (",
							"CREATE TABLE IF NOT EXISTS absent_results (", "lock.jdbc.initialize-schema"));
			}
			finally {
				store.destroy();
			}
		}

	}

	@Nested
	@DisplayName("In PostgreSQL")
	class PostgreSql extends Contract {

		PostgreSql() {
			super(postgreSql, 1);
		}

	}

	@Nested
	@DisplayName("In PostgreSQL, for callers whose threads wait")
	class PostgreSqlBlocking extends Contract {

		PostgreSqlBlocking() {
			super(postgreSql, 1);
		}

		@Override
		protected LockStore store() {
			return new BlockingStore(super.store());
		}

	}

	/** Returns a store whose handles execute their statements on the callers' threads. */
	private record BlockingStore(LockStore store) implements LockStore {

		@Override
		public StoredLock lock(LockKey key) {
			return this.store.lock(key).blocking();
		}

		@Override
		public Set<Capability> capabilities() {
			return this.store.capabilities();
		}

		@Override
		public List<CompletionStage<Boolean>> renewAll(List<Renewal> renewals) {
			return this.store.renewAll(renewals);
		}

		@Override
		public void expectWaiters() {
			this.store.expectWaiters();
		}

	}

	@Nested
	@DisplayName("In PostgreSQL, behind a pooler in transaction mode")
	class Pooled extends Contract {

		Pooled() {
			super(pooled, 1);
		}

	}

	@Nested
	@Tag("database")
	@DisplayName("In MariaDB or MySQL")
	class MySql extends Contract {

		MySql() {
			super(mySql, 2);
		}

	}

	@Nested
	@Tag("database")
	@DisplayName("In MariaDB with the driver of MySQL, or in MySQL with that of MariaDB")
	class OtherDriver extends Contract {

		OtherDriver() {
			super(otherDriver, 2);
		}

	}

	@Nested
	@DisplayName("In H2")
	class H2 extends Contract {

		H2() {
			super(h2, 2);
		}

	}

}
