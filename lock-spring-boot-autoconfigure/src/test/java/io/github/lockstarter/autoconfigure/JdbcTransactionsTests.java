package io.github.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionAspectSupport;

import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.Capability;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Transactions on the database that contains the locks.
 */
@Tag("database")
@ParameterizedClass
@ExtendWith(OutputCaptureExtension.class)
@MethodSource("io.github.lockstarter.testing.TestDatabase#all")
class JdbcTransactionsTests {

	private static final LockKey KEY = new LockKey("orders", "one");

	@Parameter
	TestDatabase database;

	/** MariaDB's default from version 11.6. */
	private int failingSnapshots;

	private ApplicationContextRunner runner() {
		String url = this.database.url() + ((this.database == TestDatabase.MARIADB)
				? "&sessionVariables=innodb_snapshot_isolation=" + this.failingSnapshots : "");
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataSourceAutoConfiguration.class,
					DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class,
					JdbcTemplateAutoConfiguration.class, JdbcClientAutoConfiguration.class,
					LockAutoConfiguration.class))
			.withPropertyValues("lock.store=jdbc", "lock.jdbc.initialize-schema=always", "lock.jdbc.table=tx_locks",
					"lock.jdbc.command-timeout=30s", "lock.names.orders.renew=false", "spring.datasource.url=" + url)
			.withBean(Orders.class);
	}

	@Test
	@DisplayName("A transaction whose lease is held commits")
	void commits() {
		runner().run((context) -> {
			assertThat(context.getBean(LockStore.class).capabilities()).contains(Capability.JOINS_TRANSACTIONS);
			Orders orders = context.getBean(Orders.class).withTable();
			orders.insert(() -> {
			});
			assertThat(orders.count()).isOne();
		});
	}

	@Test
	@DisplayName("A transaction whose lease the database has granted to another owner cannot commit, although isHeld is still true")
	void lost() {
		runner().run((context) -> {
			Orders orders = context.getBean(Orders.class).withTable();
			LockStore store = context.getBean(LockStore.class);
			assertThatExceptionOfType(LeaseLostException.class).isThrownBy(() -> orders.insert(() -> {
				orders.endLease();
				assertThat(acquire(store, "next")).isInstanceOf(Granted.class);
			}));
			assertThat(orders.count()).isZero();
			release(store, "next");
		});
	}

	@Test
	@DisplayName("Between the check and the commit, no other owner is granted the lock, even if the lease expires")
	void noWindow() {
		runner().run((context) -> {
			Orders orders = context.getBean(Orders.class).withTable();
			LockStore store = context.getBean(LockStore.class);
			context.getBean(JdbcTransactionManager.class).addListener(new BeforeCommit((transaction) -> {
				Awaitility.await().during(Duration.ofMillis(4500)).until(() -> acquire(store, "next") instanceof Held);
			}));
			orders.insertBriefly();
			assertThat(orders.count()).isOne();
			assertThat(acquire(store, "next")).isInstanceOf(Granted.class);
			release(store, "next");
		});
	}

	@Test
	@DisplayName("A transaction with snapshot isolation commits, although its lease was renewed after the snapshot")
	void snapshot() {
		for (this.failingSnapshots = 0; this.failingSnapshots < 2; this.failingSnapshots++) {
			runner().run((context) -> {
				Orders orders = context.getBean(Orders.class).withTable();
				orders.insertInSnapshot(orders::renewLease);
				assertThat(orders.count()).isOne();
			});
		}
	}

	@Test
	@DisplayName("Read-only and nested transactions commit as they do without a lock")
	void otherTransactions() {
		runner().withBean(Readers.class).run((context) -> {
			Orders orders = context.getBean(Orders.class).withTable();
			assertThat(orders.read()).isZero();
			assertThat(context.getBean(Readers.class).readInside()).isZero();
			orders.insert(() -> {
				orders.insertNested();
				orders.insertInNew();
			});
			assertThat(orders.count()).isEqualTo(3);
			context.getBean(JdbcTransactionManager.class)
				.addListener(new BeforeCommit((transaction) -> orders.auditInNew(transaction)));
			orders.insert(() -> {
			});
			assertThat(orders.count()).isEqualTo(5);
		});
	}

	@Test
	@DisplayName("A method that hides the failure of an inner transaction gets an UnexpectedRollbackException, and no result is stored")
	void hiddenFailure() {
		runner().withBean(Readers.class).run((context) -> {
			Orders orders = context.getBean(Orders.class).withTable();
			assertThatExceptionOfType(UnexpectedRollbackException.class)
				.isThrownBy(() -> context.getBean(Readers.class).placeAndHide("a"));
			assertThat(orders.count()).isZero();
			assertThat(orders.results()).isZero();
		});
	}

	@Test
	@DisplayName("The result to replay is committed with the changes, before the lock is released")
	void replay() {
		runner().run((context) -> {
			Orders orders = context.getBean(Orders.class).withTable();
			List<Integer> kept = new ArrayList<>();
			context.getBean(JdbcTransactionManager.class)
				.addListener(new AfterCommit(() -> kept.add(orders.results())));
			String first = orders.place("a", false);
			assertThat(kept).containsExactly(1);
			assertThat(orders.place("a", false)).isEqualTo(first);
			assertThat(orders.count()).isOne();
		});
	}

	@Test
	@DisplayName("Transactions with different keys do not block each other, whether keys are random or ascend, in an empty table and a filled one")
	void differentKeys() {
		runner().run((context) -> {
			Orders orders = context.getBean(Orders.class).withTable();
			AtomicLong last = new AtomicLong();
			List<Supplier<String>> kinds = List.of(() -> "01KB%022d".formatted(last.incrementAndGet()),
					() -> UUID.randomUUID().toString(), () -> "01KC%022d".formatted(last.incrementAndGet()));
			int before = orders.results();
			for (Supplier<String> keys : kinds) {
				CompletableFuture.allOf(IntStream.range(0, 4).mapToObj((thread) -> CompletableFuture.runAsync(() -> {
					for (int i = 0; i < 100; i++) {
						orders.place(keys.get(), false);
					}
				})).toArray(CompletableFuture[]::new)).join();
			}
			assertThat(orders.results()).isEqualTo(before + 1200);
			assertThat(orders.count()).isEqualTo(1200);
		});
	}

	@Test
	@DisplayName("A result that was committed with the changes is not stored again at the release")
	void storedOnce() {
		runner().run((context) -> {
			Orders orders = context.getBean(Orders.class).withTable();
			context.getBean(JdbcTransactionManager.class).addListener(new AfterCommit(orders::deleteResult));
			orders.place("a", false);
			assertThat(orders.results()).isZero();
		});
	}

	@Test
	@DisplayName("The result of a rolled-back transaction is not replayed, whether the method threw or marked it rollback-only")
	void rolledBackReplay() {
		runner().run((context) -> {
			Orders orders = context.getBean(Orders.class).withTable();
			assertThatIllegalStateException().isThrownBy(() -> orders.placeAndFail("a"));
			assertThat(orders.place("a", true)).isNotNull();
			assertThat(orders.results()).isZero();
			assertThat(orders.count()).isZero();
			orders.place("a", false);
			assertThat(orders.count()).isOne();
		});
	}

	@Test
	@DisplayName("A result is not stored in a transaction that was open before the lock was acquired")
	void outerTransaction() {
		runner().withBean(Readers.class).run((context) -> {
			Orders orders = context.getBean(Orders.class).withTable();
			context.getBean(Readers.class).placeInside(orders);
			assertThat(orders.results()).isZero();
			assertThat(orders.count()).isOne();
		});
		runner().withPropertyValues("lock.order=" + Integer.MAX_VALUE).run((context) -> {
			Orders orders = context.getBean(Orders.class).withTable();
			orders.place("d", false);
			assertThat(orders.results()).isZero();
			assertThat(orders.count()).isOne();
		});
	}

	@Test
	@DisplayName("A result is stored in a new transaction inside an open one")
	void newInsideTransaction() {
		runner().withBean(Readers.class).run((context) -> {
			Orders orders = context.getBean(Orders.class).withTable();
			context.getBean(Readers.class).placeInNewInside(orders);
			assertThat(orders.results()).isOne();
			assertThat(orders.count()).isOne();
		});
	}

	@Test
	@DisplayName("A method without a transaction, or with REQUIRES_NEW, stores its result at the release")
	void ordinaryReplay() {
		runner().run((context) -> {
			Orders orders = context.getBean(Orders.class).withTable();
			assertThat(orders.placeOutside("b")).isEqualTo(orders.placeOutside("b"));
			assertThat(orders.placeInNew("c")).isEqualTo(orders.placeInNew("c"));
			assertThat(orders.count()).isEqualTo(2);
		});
	}

	@Test
	@DisplayName("With a transaction on another database, the result is stored at the release, and one warning is logged")
	void otherDatabase(CapturedOutput output) {
		JdbcTransactionManager elsewhere = new JdbcTransactionManager(
				new DriverManagerDataSource("jdbc:h2:mem:elsewhere"));
		runner().withBean(PlatformTransactionManager.class, () -> elsewhere).run((context) -> {
			Orders orders = context.getBean(Orders.class).withTable();
			assertThat(orders.place("e", false)).isEqualTo(orders.place("e", false));
			assertThat(orders.place("f", false)).isEqualTo(orders.place("f", false));
			assertThat(orders.place("g", true)).isNotEqualTo(orders.place("g", true));
			assertThat(orders.count()).isEqualTo(4);
		});
		assertThat(output).containsOnlyOnce("The transaction under lock 'orders' cannot be joined by the lock store");
	}

	private static AcquireResult acquire(LockStore store, String owner) {
		StoredLock lock = store.lock(KEY);
		return lock.acquire(AcquireCommand.of(owner, Duration.ofSeconds(30))).toCompletableFuture().join();
	}

	private static void release(LockStore store, String owner) {
		assertThat(store.lock(KEY).release(owner, null).toCompletableFuture().join()).isTrue();
	}

	private record BeforeCommit(Consumer<TransactionExecution> action) implements TransactionExecutionListener {

		@Override
		public void beforeCommit(TransactionExecution transaction) {
			this.action.accept(transaction);
		}

	}

	private record AfterCommit(Runnable action) implements TransactionExecutionListener {

		@Override
		public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
			this.action.run();
		}

	}

	static class Orders {

		private final JdbcClient jdbc;

		private final ObjectProvider<Orders> self;

		private final AtomicBoolean auditing = new AtomicBoolean();

		Orders(JdbcClient jdbc, ObjectProvider<Orders> self) {
			this.jdbc = jdbc;
			this.self = self;
		}

		@ExclusiveRequest(name = "orders", key = "'one'", ttl = "30s")
		@Transactional
		public void insert(Runnable beforeTheEnd) {
			this.jdbc.sql("INSERT INTO tx_orders VALUES (1)").update();
			beforeTheEnd.run();
		}

		@ExclusiveRequest(name = "orders", key = "'one'", ttl = "4s")
		@Transactional
		public void insertBriefly() {
			this.jdbc.sql("INSERT INTO tx_orders VALUES (1)").update();
		}

		@ExclusiveRequest(name = "orders", key = "'one'", ttl = "30s")
		@Transactional(isolation = Isolation.REPEATABLE_READ)
		public void insertInSnapshot(Runnable beforeTheEnd) {
			insert(beforeTheEnd);
		}

		@ExclusiveRequest(name = "orders", key = "#key", replay = "1h")
		@Transactional
		public String place(String key, boolean giveUp) {
			if (giveUp) {
				TransactionAspectSupport.currentTransactionStatus().setRollbackOnly();
			}
			return placeOutside(key);
		}

		@ExclusiveRequest(name = "orders", key = "#key", replay = "1h")
		@Transactional
		public String placeAndFail(String key) {
			placeOutside(key);
			throw new IllegalStateException();
		}

		@ExclusiveRequest(name = "orders", key = "#key", replay = "1h")
		public String placeOutside(String key) {
			this.jdbc.sql("INSERT INTO tx_orders VALUES (1)").update();
			return key + " " + UUID.randomUUID();
		}

		@ExclusiveRequest(name = "orders", key = "#key", replay = "1h")
		@Transactional(propagation = Propagation.REQUIRES_NEW)
		public String placeInNew(String key) {
			return placeOutside(key);
		}

		int results() {
			return this.jdbc.sql("SELECT count(*) FROM tx_locks_results").query(Integer.class).single();
		}

		public void insertRow() {
			this.jdbc.sql("INSERT INTO tx_orders VALUES (1)").update();
		}

		@Transactional
		public void fail() {
			throw new IllegalStateException();
		}

		@ExclusiveRequest(name = "reads", key = "'one'")
		@Transactional(readOnly = true)
		public int read() {
			return count();
		}

		@Transactional(readOnly = true)
		public int readOnly() {
			return count();
		}

		@Transactional(propagation = Propagation.NESTED)
		public void insertNested() {
			insertRow();
		}

		@Transactional(propagation = Propagation.REQUIRES_NEW)
		public void insertInNew() {
			insertRow();
		}

		/** Does what a JPA listener does in the commit of another transaction. */
		void auditInNew(TransactionExecution outer) {
			if (!this.auditing.getAndSet(true)) {
				this.self.getObject().insertInNew();
			}
		}

		void endLease() {
			outside("UPDATE tx_locks SET expires_at = 0 WHERE lock_key = 'orders:one'");
		}

		void deleteResult() {
			outside("DELETE FROM tx_locks_results");
		}

		void renewLease() {
			outside("UPDATE tx_locks SET expires_at = expires_at + 1 WHERE lock_key = 'orders:one'");
		}

		/** Changes the database outside the transaction of this thread. */
		private void outside(String sql) {
			int rows = CompletableFuture.supplyAsync(() -> this.jdbc.sql(sql).update()).join();
			assertThat(rows).isOne();
		}

		Orders withTable() {
			this.jdbc.sql("CREATE TABLE IF NOT EXISTS tx_orders (id INT)").update();
			this.jdbc.sql("DELETE FROM tx_orders").update();
			this.jdbc.sql("DELETE FROM tx_locks_results").update();
			return this;
		}

		int count() {
			return this.jdbc.sql("SELECT count(*) FROM tx_orders").query(Integer.class).single();
		}

	}

	/** Methods with a lock that call methods with a transaction. */
	static class Readers {

		private final Orders orders;

		Readers(Orders orders) {
			this.orders = orders;
		}

		@ExclusiveRequest(name = "reads", key = "'one'")
		public int readInside() {
			return this.orders.readOnly();
		}

		@Transactional
		public void placeInside(Orders orders) {
			orders.place("d", false);
		}

		@Transactional
		public void placeInNewInside(Orders orders) {
			orders.placeInNew("d");
		}

		@ExclusiveRequest(name = "orders", key = "#key", replay = "1h")
		@Transactional
		public String placeAndHide(String key) {
			this.orders.insertRow();
			try {
				this.orders.fail();
			}
			catch (IllegalStateException ex) {
				// The failure is hidden.
			}
			return key;
		}

	}

}
