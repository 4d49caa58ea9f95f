package io.github.lockstarter.store.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariConfig;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.datasource.AbstractDataSource;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.registry.DefaultLockRegistry;

import io.github.lockstarter.testing.LocalPgBouncer;
import io.github.lockstarter.testing.LocalPostgreSql;
import io.github.lockstarter.testing.TcpProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Connections that the server accepts, and that cannot be used.
 */
class UnusableConnectionsTests {

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofMinutes(2));

	private static final Duration SOON = Duration.ofSeconds(30);

	private final LockKey key = new LockKey("unusable", UUID.randomUUID().toString());

	@Test
	@DisplayName("While new connections cannot be set up, calls fail soon with the reason, and about one connection is opened each second; then calls work")
	void setUp() {
		Limited source = new Limited();
		HikariConfig settings = new HikariConfig();
		settings.setJdbcUrl(Limited.URL);
		settings.setDataSource(source);
		try (TestStores stores = new TestStores(Limited.URL);
				DefaultLockRegistry locks = new DefaultLockRegistry(stores.another(settings, Duration.ofSeconds(3)),
						LockOptions.of(Duration.ofSeconds(10)))) {
			locks.acquire(this.key, OPTIONS).close();
			source.fail();
			long begun = System.nanoTime();
			failAll(locks, "Too many session variables");
			failAll(locks, "Too many session variables");
			long failing = System.nanoTime();
			failAll(locks, "Too many session variables");
			assertThat(Duration.ofNanos(System.nanoTime() - failing)).isLessThan(Duration.ofSeconds(2));
			long seconds = Duration.ofNanos(System.nanoTime() - begun).toSeconds();
			assertThat((long) source.opened.get()).isBetween(1L, 30 + 4 * seconds);
			source.fails = false;
			Awaitility.await()
				.atMost(SOON)
				.ignoreExceptions()
				.until(() -> locks.tryAcquire(this.key, OPTIONS).isPresent());
		}
	}

	@Test
	@DisplayName("While a pooler accepts connections and has none to the database, calls fail soon with its reason, and about one connection is opened each second; then calls work")
	void withoutDatabase() {
		try (LocalPostgreSql database = LocalPostgreSql.started();
				LocalPgBouncer pooler = LocalPgBouncer.started(database);
				TcpProxy proxy = new TcpProxy(pooler.port());
				TestStores stores = new TestStores(database.url());
				DefaultLockRegistry locks = new DefaultLockRegistry(
						stores.another(database.url(proxy.port()), Duration.ofSeconds(3)),
						LockOptions.of(Duration.ofSeconds(10)))) {
			locks.acquire(this.key, OPTIONS).close();
			database.kill();
			// PgBouncer waits for its first attempt.
			Awaitility.await().atMost(SOON).untilAsserted(() -> failAll(locks, "server login"));
			int accepted = proxy.accepted();
			long begun = System.nanoTime();
			for (int i = 0; i < 10; i++) {
				failAll(locks, "server login");
			}
			Duration time = Duration.ofNanos(System.nanoTime() - begun);
			assertThat(time).isLessThan(Duration.ofSeconds(10));
			assertThat((long) proxy.accepted() - accepted).isLessThanOrEqualTo(20 + 4 * time.toSeconds());
			database.start();
			Awaitility.await()
				.atMost(SOON)
				.ignoreExceptions()
				.until(() -> locks.tryAcquire(this.key, OPTIONS).isPresent());
		}
	}

	/** Many calls at once. */
	private void failAll(DefaultLockRegistry locks, String reason) {
		CompletableFuture<?>[] calls = IntStream.range(0, 20)
			.mapToObj((i) -> locks.tryAcquireAsync(new LockKey("unusable", this.key.key() + i), OPTIONS)
				.toCompletableFuture())
			.toArray(CompletableFuture[]::new);
		for (CompletableFuture<?> each : calls) {
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> {
				try {
					each.join();
				}
				catch (CompletionException ex) {
					throw ex.getCause();
				}
			}).withStackTraceContaining(reason);
		}
	}

	/** A data source with a proxy that sometimes refuses settings of sessions. */
	private static final class Limited extends AbstractDataSource {

		private static final String URL = "jdbc:h2:mem:unusable;DB_CLOSE_DELAY=-1";

		private final AtomicInteger opened = new AtomicInteger();

		private volatile boolean fails;

		@Override
		public Connection getConnection() throws SQLException {
			this.opened.incrementAndGet();
			Connection connection = DriverManager.getConnection(URL);
			return (Connection) Proxy.newProxyInstance(Connection.class.getClassLoader(),
					new Class<?>[] { Connection.class }, (self, method, args) -> {
						if (this.fails && method.getName().equals("createStatement")) {
							throw new SQLException("Too many session variables", "HY000");
						}
						if (this.fails && method.getName().equals("prepareStatement")) {
							throw new SQLException("The connection was closed", "08006");
						}
						try {
							return method.invoke(connection, args);
						}
						catch (InvocationTargetException ex) {
							throw ex.getCause();
						}
					});
		}

		@Override
		public Connection getConnection(String username, String password) throws SQLException {
			return getConnection();
		}

		void fail() {
			this.fails = true;
			this.opened.set(0);
		}

	}

}
