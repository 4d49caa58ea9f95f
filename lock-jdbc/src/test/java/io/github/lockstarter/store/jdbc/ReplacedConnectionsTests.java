package io.github.lockstarter.store.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

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
 * Two servers behind one address. The first becomes read-only, and its connections stay
 * open.
 */
@Tag("database")
@ExtendWith(OutputCaptureExtension.class)
class ReplacedConnectionsTests {

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofMinutes(2));

	private static final LockOptions WAITING = OPTIONS.withWaitTime(Duration.ofMinutes(1));

	private static final String WARNING = "The database accepts no changes, so the lock store has replaced its connections";

	@AutoClose
	private static final LocalPostgreSql postgreSql = LocalPostgreSql.started();

	@AutoClose
	private static final LocalPostgreSql nextPostgreSql = LocalPostgreSql.started();

	@AutoClose
	private static final LocalMySql mariaDb = LocalMySql.started();

	@AutoClose
	private static final LocalMySql nextMariaDb = LocalMySql.started();

	private final LockKey key = new LockKey("replaced", UUID.randomUUID().toString());

	@ParameterizedTest
	@EnumSource
	@DisplayName("After the roles were swapped, the next acquisition is granted by the new primary, and one line in the log says why")
	void swapped(Pair pair, CapturedOutput output) {
		try (TestStores old = new TestStores(pair.old.url());
				TestStores next = new TestStores(pair.next.url());
				TcpProxy proxy = new TcpProxy(pair.old.port());
				DefaultLockRegistry locks = new DefaultLockRegistry(old.another(pair.url(old, next, proxy)),
						LockOptions.of(Duration.ofSeconds(10)))) {
			List<Lease> before = List.of(locks.acquire(this.key, OPTIONS), locks.acquire(other("a"), OPTIONS));
			pair.setReadOnly(old, true);
			try {
				proxy.redirect(pair.next.port());
				Lease lease = locks.acquire(other("next"), OPTIONS);
				assertThat(next.held()).isOne();
				lease.close();
				before.forEach(Lease::close);
				assertThat(output).containsOnlyOnce(WARNING).contains("read-only");
			}
			finally {
				pair.setReadOnly(old, false);
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("A lease that the new primary does not have is lost, although the old one still has it")
	void forgotten(Pair pair) {
		try (TestStores old = new TestStores(pair.old.url());
				TestStores next = new TestStores(pair.next.url());
				TcpProxy proxy = new TcpProxy(pair.old.port());
				DefaultLockRegistry locks = new DefaultLockRegistry(old.another(pair.url(old, next, proxy)),
						LockOptions.of(Duration.ofSeconds(10)))) {
			Lease lease = locks.acquire(this.key, LockOptions.of(Duration.ofSeconds(30)));
			CompletableFuture<Void> lost = new CompletableFuture<>();
			lease.onLost(() -> lost.complete(null));
			pair.setReadOnly(old, true);
			try {
				proxy.redirect(pair.next.port());
				assertThat(lost).succeedsWithin(Duration.ofSeconds(25));
				assertThat(
						old.rows("locks WHERE lock_key = 'replaced:%s' AND expires_at > 0".formatted(this.key.key())))
					.isOne();
			}
			finally {
				pair.setReadOnly(old, false);
			}
		}
	}

	@Test
	@DisplayName("With a URL that names both servers, the next acquisition is granted by the one that is the primary")
	void severalHosts() {
		String url = postgreSql.url()
			.replace("/postgres?", ",127.0.0.1:%d/postgres?targetServerType=primary&".formatted(nextPostgreSql.port()));
		try (TestStores old = new TestStores(postgreSql.url());
				TestStores next = new TestStores(nextPostgreSql.url());
				DefaultLockRegistry locks = new DefaultLockRegistry(old.another(url),
						LockOptions.of(Duration.ofSeconds(10)))) {
			locks.acquire(this.key, OPTIONS).close();
			Pair.POSTGRESQL.setReadOnly(old, true);
			try {
				Lease lease = locks.acquire(other("next"), OPTIONS);
				assertThat(next.held()).isOne();
				lease.close();
			}
			finally {
				Pair.POSTGRESQL.setReadOnly(old, false);
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("While no server accepts changes, calls fail with its message; connections are replaced about once a second; then the next call works")
	void noPrimary(Pair pair, CapturedOutput output) {
		try (TestStores old = new TestStores(pair.old.url()); TcpProxy proxy = new TcpProxy(pair.old.port())) {
			JdbcLockStore store = old.another(pair.url(old, old, proxy));
			try (DefaultLockRegistry locks = new DefaultLockRegistry(store, LockOptions.of(Duration.ofSeconds(10)))) {
				locks.acquire(this.key, OPTIONS).close();
				pair.setReadOnly(old, true);
				long begun = System.nanoTime();
				int accepted = proxy.accepted();
				try {
					for (int i = 0; i < 30; i++) {
						assertThatExceptionOfType(LockStoreException.class)
							.isThrownBy(() -> locks.acquire(this.key, OPTIONS))
							.withStackTraceContaining("accepts no changes")
							.withStackTraceContaining("read-only");
					}
				}
				finally {
					pair.setReadOnly(old, false);
				}
				long seconds = Duration.ofNanos(System.nanoTime() - begun).toSeconds();
				assertThat((long) proxy.accepted() - accepted).isLessThanOrEqualTo(5 * (seconds + 2));
				locks.acquire(this.key, OPTIONS).close();
				assertThat(output).containsOnlyOnce(WARNING);
			}
		}
	}

	@Test
	@DisplayName("A waiter on the old primary is notified by the new one")
	void listensAgain() {
		try (TestStores old = new TestStores(postgreSql.url());
				TestStores next = new TestStores(nextPostgreSql.url());
				TcpProxy proxy = new TcpProxy(postgreSql.port())) {
			JdbcLockStore store = old.another(postgreSql.url(proxy.port()));
			try (DefaultLockRegistry locks = new DefaultLockRegistry(store, LockOptions.of(Duration.ofSeconds(10)));
					DefaultLockRegistry elsewhere = new DefaultLockRegistry(next.first(),
							LockOptions.of(Duration.ofSeconds(10)))) {
				Lease holder = elsewhere.acquire(this.key, OPTIONS);
				store.expectWaiters();
				Awaitility.await().until(() -> listening(old) == 1);
				// Leaves a connection to the old primary, which the waiter uses. Over a
				// new one
				// nothing would fail, and the swap would be noticed later.
				locks.acquire(other("first"), OPTIONS).close();
				Pair.POSTGRESQL.setReadOnly(old, true);
				try {
					// Those of the test before may be ending.
					Awaitility.await().until(() -> listening(next) == 0);
					proxy.redirect(nextPostgreSql.port());
					CompletableFuture<Optional<Lease>> waiter = locks.tryAcquireAsync(this.key, WAITING)
						.toCompletableFuture();
					// Without a replacement, the silence is noticed after 20 s.
					Awaitility.await()
						.atMost(Duration.ofSeconds(18))
						.until(() -> listening(old) == 0 && listening(next) == 1);
					holder.close();
					assertThat(waiter).succeedsWithin(Duration.ofSeconds(30)).matches(Optional::isPresent);
					waiter.join().orElseThrow().close();
				}
				finally {
					Pair.POSTGRESQL.setReadOnly(old, false);
				}
			}
		}
	}

	private static long listening(TestStores stores) {
		return stores.query("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'");
	}

	private LockKey other(String suffix) {
		return new LockKey("replaced", this.key.key() + suffix);
	}

	/** Two servers of one kind. */
	enum Pair {

		POSTGRESQL(postgreSql, nextPostgreSql), MARIADB(mariaDb, nextMariaDb);

		private final LocalDatabase old;

		private final LocalDatabase next;

		Pair(LocalDatabase old, LocalDatabase next) {
			this.old = old;
			this.next = next;
		}

		/** Returns the URL of the proxy. The administrator of MariaDB can still write. */
		String url(TestStores old, TestStores next, TcpProxy proxy) {
			if (this == MARIADB) {
				for (TestStores each : List.of(old, next)) {
					each.execute("CREATE USER IF NOT EXISTS application", "GRANT ALL ON test.* TO application");
				}
			}
			return this.old.url(proxy.port()).replace("user=root", "user=application");
		}

		/** Applies to open connections, too. */
		void setReadOnly(TestStores stores, boolean readOnly) {
			if (this == MARIADB) {
				stores.execute("SET GLOBAL read_only = " + (readOnly ? "ON" : "OFF"));
			}
			else {
				stores.execute("SET default_transaction_read_only = off",
						"ALTER SYSTEM SET default_transaction_read_only = " + (readOnly ? "on" : "off"),
						"SELECT pg_reload_conf()");
				Awaitility.await()
					.until(() -> stores.query(
							"SELECT count(*) FROM pg_settings WHERE name = 'default_transaction_read_only' AND setting = '%s'"
								.formatted(readOnly ? "on" : "off")) == 1);
			}
		}

	}

}
