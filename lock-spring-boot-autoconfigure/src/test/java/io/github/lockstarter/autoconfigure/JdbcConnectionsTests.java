package io.github.lockstarter.autoconfigure;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.sql.DataSource;

import com.mysql.cj.jdbc.MysqlDataSource;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.Credentials;
import org.h2.jdbcx.JdbcConnectionPool;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mariadb.jdbc.MariaDbDataSource;
import org.postgresql.ds.PGSimpleDataSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.testing.LocalMySql;
import io.github.lockstarter.testing.LocalPostgreSql;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The store connects as the application does.
 */
@ExtendWith(OutputCaptureExtension.class)
class JdbcConnectionsTests {

	private static final String SERVER = LocalMySql.shared().url();

	/** Without the administrator. */
	private static final String URL = SERVER.substring(0, SERVER.indexOf('?'));

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
		.withPropertyValues("lock.store=jdbc", "lock.jdbc.initialize-schema=always", "lock.jdbc.table=connected_locks",
				"lock.jdbc.command-timeout=10s");

	@ParameterizedTest
	@EnumSource
	@DisplayName("After the application's password was changed and its connections were ended, locks are acquired with the new password")
	void rotated(Pool kind) throws SQLException {
		administrate("CREATE OR REPLACE USER application IDENTIFIED BY 'first'", "GRANT ALL ON test.* TO application");
		DataSource pool = kind.create();
		this.runner.withBean(DataSource.class, () -> pool).run((context) -> {
			LockRegistry locks = context.getBean(LockRegistry.class);
			locks.acquire("team:42").close();
			administrate("ALTER USER application IDENTIFIED BY 'second'", "KILL USER application");
			kind.changePassword(pool, "second");
			locks.acquire("team:42").close();
			assertThat(JdbcClient.create(new DriverManagerDataSource(SERVER))
				.sql("SELECT count(*) FROM information_schema.processlist WHERE user = 'application'")
				.query(Integer.class)
				.single()).isPositive();
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "postgresql", "mysql" })
	@DisplayName("If the application's user is replaced while many callers use locks, all of them continue with the new user")
	void rotatedWhileBusy(String database) throws Exception {
		boolean mysql = database.equals("mysql");
		String administrator = mysql ? LocalMySql.shared().urlOfOtherDriver() : LocalPostgreSql.shared().url();
		for (String user : List.of("busy_first", "busy_second")) {
			run(administrator, mysql
					? new String[] { "CREATE OR REPLACE USER %s IDENTIFIED BY '%s'".formatted(user, user),
							"GRANT ALL ON test.* TO " + user }
					: new String[] { "DROP ROLE IF EXISTS " + user, "CREATE ROLE %s LOGIN SUPERUSER".formatted(user) });
		}
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(administrator.substring(0, administrator.indexOf('?')));
		pool.setUsername("busy_first");
		pool.setPassword("busy_first");
		this.runner.withBean(DataSource.class, () -> pool).run((context) -> {
			LockRegistry locks = context.getBean(LockRegistry.class);
			AtomicBoolean stopped = new AtomicBoolean();
			AtomicIntegerArray granted = new AtomicIntegerArray(6);
			List<Thread> callers = IntStream.range(0, 6).mapToObj((i) -> new Thread(() -> {
				while (!stopped.get()) {
					try {
						locks.acquire("busy:" + i).close();
						granted.incrementAndGet(i);
					}
					catch (LockStoreException ex) {
						// While the connections end.
					}
				}
			})).toList();
			callers.forEach(Thread::start);
			awaitMore(granted);
			pool.getHikariConfigMXBean().setCredentials(Credentials.of("busy_second", "busy_second"));
			run(administrator, mysql ? new String[] { "ALTER USER busy_first ACCOUNT LOCK", "KILL USER busy_first" }
					: new String[] { "ALTER ROLE busy_first NOLOGIN",
							"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'busy_first'" });
			awaitMore(granted);
			stopped.set(true);
			for (Thread caller : callers) {
				caller.join();
			}
		});
	}

	private static void awaitMore(AtomicIntegerArray granted) {
		int[] before = IntStream.range(0, granted.length()).map(granted::get).toArray();
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.until(() -> IntStream.range(0, before.length).allMatch((i) -> granted.get(i) > before[i] + 10));
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("The store uses the data source with which the application's pool connects")
	void dataSource(Source source) {
		HikariDataSource pool = new HikariDataSource();
		source.configure(pool);
		this.runner.withBean(DataSource.class, () -> pool)
			.run((context) -> context.getBean(LockRegistry.class).acquire("team:42").close());
	}

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "MARIADB", "MYSQL_DRIVER", "H2" })
	@DisplayName("A data source of a driver is used as it is, without a warning")
	void unpooled(Source source, CapturedOutput output) {
		this.runner.withBean(DataSource.class, source::newDataSource)
			.run((context) -> context.getBean(LockRegistry.class).acquire("team:42").close());
		assertThat(output).doesNotContain("does not know its other settings");
	}

	@Test
	@DisplayName("For a pool of another kind, a warning says which of its settings are used, and what to set")
	void otherPool(CapturedOutput output) {
		this.runner.withBean(DataSource.class, OtherPool::new)
			.run((context) -> context.getBean(LockRegistry.class).acquire("team:42").close());
		assertThat(output).containsOnlyOnce("the password of the application's OtherPool").contains("lock.jdbc.url");
	}

	@Test
	@DisplayName("A pool whose settings cannot be read prevents startup, and the message names it and what to set")
	void unreadablePool() {
		JdbcConnectionPool pool = JdbcConnectionPool.create("jdbc:h2:mem:unreadable", "sa", "");
		this.runner.withBean(DataSource.class, () -> pool)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("cannot be read from " + JdbcConnectionPool.class.getName())
				.isInstanceOfSatisfying(LockConfigurationException.class,
						(ex) -> assertThat(ex.getAction()).contains("lock.jdbc.url")));
	}

	static Stream<Arguments> down() {
		String message = "Connection to jdbc:postgresql://app:s3cret@db refused";
		return Stream.of(Arguments.of(new SQLException(message, "08001"), "java.sql.SQLException (SQL state 08001)"),
				Arguments.of(new IllegalStateException(message), "java.lang.IllegalStateException"));
	}

	@ParameterizedTest
	@MethodSource
	@DisplayName("If the URL is known only when the application's data source is connected, and the database is down, the message says so, without that of the driver")
	void down(Exception failure, String reason) {
		HikariDataSource pool = new HikariDataSource();
		pool.setDataSource(new AbstractDataSource() {

			@Override
			public Connection getConnection() throws SQLException {
				if (failure instanceof SQLException ofDriver) {
					throw ofDriver;
				}
				throw (RuntimeException) failure;
			}

			@Override
			public Connection getConnection(String username, String password) throws SQLException {
				return getConnection();
			}

		});
		pool.setConnectionTimeout(500);
		this.runner.withBean(DataSource.class, () -> pool)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageStartingWith("lock.store is jdbc, and the URL")
				.hasMessageEndingWith("but it cannot be reached: " + reason)
				.isInstanceOfSatisfying(LockConfigurationException.class,
						(ex) -> assertThat(ex.getAction()).contains("lock.jdbc.url")));
	}

	@Test
	@DisplayName("The URL of a data source that the pool creates by its class name is known without a connection, so that the application starts while the database is down")
	void downByClassName() {
		HikariDataSource pool = new HikariDataSource();
		Source.BY_CLASS_NAME.configure(pool);
		pool.addDataSourceProperty("portNumber", 1);
		assertThat(ApplicationDatabase.settings(pool, "lock.store").getJdbcUrl())
			.startsWith("jdbc:postgresql://127.0.0.1:1/postgres");
	}

	@Test
	@DisplayName("An embedded database is recognized by the data source of the pool, and its tables are created")
	void embedded() {
		HikariDataSource pool = new HikariDataSource();
		Source.H2.configure(pool);
		this.runner.withPropertyValues("lock.jdbc.initialize-schema=embedded")
			.withBean(DataSource.class, () -> pool)
			.run((context) -> context.getBean(LockRegistry.class).acquire("team:42").close());
	}

	@Test
	@DisplayName("The store looks through wrappers of the application's pool")
	void wrapped() {
		HikariDataSource pool = new HikariDataSource();
		pool.setDataSource(new LazyConnectionDataSourceProxy(Source.POSTGRESQL.newDataSource()));
		ProxyFactory advised = new ProxyFactory(new TransactionAwareDataSourceProxy(new DelegatingDataSource(pool)));
		this.runner.withBean(DataSource.class, () -> (DataSource) advised.getProxy())
			.run((context) -> context.getBean(LockRegistry.class).acquire("team:42").close());
	}

	@Test
	@DisplayName("A data source that hides its address prevents startup, and the message says what to set")
	void hidden() {
		this.runner.withBean(DataSource.class, Hidden::new)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(LockConfigurationException.class,
						(ex) -> assertThat(ex.getAction()).contains("lock.jdbc.url")));
	}

	private static void administrate(String... statements) throws SQLException {
		run(SERVER, statements);
	}

	private static void run(String url, String... statements) throws SQLException {
		try (Connection connection = DriverManager.getConnection(url);
				Statement statement = connection.createStatement()) {
			for (String each : statements) {
				statement.execute(each);
			}
		}
	}

	/** Kinds of pools, and how their password is changed. */
	enum Pool {

		/** By its JMX bean. */
		HIKARI {

			@Override
			DataSource create() {
				HikariDataSource pool = super.hikari();
				pool.setUsername("application");
				pool.setPassword("first");
				return pool;
			}

			@Override
			void changePassword(DataSource pool, String password) {
				((HikariDataSource) pool).getHikariConfigMXBean()
					.setCredentials(Credentials.of("application", password));
			}

		},

		PROVIDER {

			private final AtomicReference<String> password = new AtomicReference<>("first");

			@Override
			DataSource create() {
				HikariDataSource pool = super.hikari();
				pool.setCredentialsProvider(() -> Credentials.of("application", this.password.get()));
				return pool;
			}

			@Override
			void changePassword(DataSource pool, String password) {
				this.password.set(password);
			}

		},

		/** A subclass of the pool, as for tokens of a cloud. */
		OVERRIDDEN {

			private final AtomicReference<String> password = new AtomicReference<>("first");

			@Override
			DataSource create() {
				Supplier<String> current = this.password::get;
				HikariConfig settings = super.hikari();
				return new HikariDataSource(settings) {

					@Override
					public Credentials getCredentials() {
						return Credentials.of("application", current.get());
					}

				};
			}

			@Override
			void changePassword(DataSource pool, String password) {
				this.password.set(password);
			}

		},

		/** The pool asks a data source, which has the password. */
		DATA_SOURCE {

			@Override
			DataSource create() {
				HikariDataSource pool = new HikariDataSource();
				pool.setDataSource(unpooled());
				return pool;
			}

			@Override
			void changePassword(DataSource pool, String password) {
				((SimpleDriverDataSource) ((HikariDataSource) pool).getDataSource()).setPassword(password);
			}

		},

		DRIVER {

			@Override
			DataSource create() {
				try {
					MariaDbDataSource source = new MariaDbDataSource(URL);
					source.setUser("application");
					source.setPassword("first");
					return source;
				}
				catch (SQLException ex) {
					throw new IllegalStateException(ex);
				}
			}

			@Override
			void changePassword(DataSource pool, String password) {
				try {
					((MariaDbDataSource) pool).setPassword(password);
				}
				catch (SQLException ex) {
					throw new IllegalStateException(ex);
				}
			}

		},

		NONE {

			@Override
			DataSource create() {
				return unpooled();
			}

			@Override
			void changePassword(DataSource pool, String password) {
				((SimpleDriverDataSource) pool).setPassword(password);
			}

		};

		abstract DataSource create();

		abstract void changePassword(DataSource pool, String password);

		private HikariDataSource hikari() {
			HikariDataSource pool = new HikariDataSource();
			pool.setJdbcUrl(URL);
			return pool;
		}

		private static SimpleDriverDataSource unpooled() {
			return new SimpleDriverDataSource(new org.mariadb.jdbc.Driver(), URL, "application", "first");
		}

	}

	/** Data sources without pools. */
	enum Source {

		POSTGRESQL {

			@Override
			DataSource newDataSource() {
				PGSimpleDataSource source = new PGSimpleDataSource();
				source.setUrl(LocalPostgreSql.shared().url());
				return source;
			}

		},

		MARIADB {

			@Override
			@Nullable DataSource newDataSource() {
				try {
					return new MariaDbDataSource(SERVER);
				}
				catch (SQLException ex) {
					throw new IllegalStateException(ex);
				}
			}

		},

		MYSQL_DRIVER {

			@Override
			DataSource newDataSource() {
				MysqlDataSource source = new MysqlDataSource();
				source.setUrl(LocalMySql.shared().urlOfOtherDriver());
				return source;
			}

		},

		H2 {

			@Override
			DataSource newDataSource() {
				JdbcDataSource source = new JdbcDataSource();
				source.setUrl("jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID()));
				source.setUser("sa");
				return source;
			}

		},

		/** Tells no URL before it is connected. */
		BY_CLASS_NAME {

			@Override
			@Nullable DataSource newDataSource() {
				return null;
			}

			@Override
			void configure(HikariDataSource pool) {
				pool.setDataSourceClassName(PGSimpleDataSource.class.getName());
				pool.addDataSourceProperty("serverName", "127.0.0.1");
				pool.addDataSourceProperty("portNumber", LocalPostgreSql.shared().port());
				pool.addDataSourceProperty("databaseName", "postgres");
				pool.setUsername("postgres");
			}

		},

		/** Hides its URL, as wrappers of drivers do. */
		HIDDEN {

			@Override
			DataSource newDataSource() {
				return new Hidden();
			}

		};

		abstract @Nullable DataSource newDataSource();

		void configure(HikariDataSource pool) {
			pool.setDataSource(newDataSource());
			pool.setConnectionTimeout(Duration.ofSeconds(30).toMillis());
		}

	}

	/** A pool that Spring Boot does not know. */
	static class OtherPool extends Hidden {

		public String getUrl() {
			return SERVER;
		}

		public @Nullable String getUsername() {
			return "root";
		}

		public @Nullable String getPassword() {
			return null;
		}

	}

	static class Hidden extends AbstractDataSource {

		@Override
		public Connection getConnection() throws SQLException {
			return DriverManager.getConnection(LocalPostgreSql.shared().url());
		}

		@Override
		public Connection getConnection(String username, String password) throws SQLException {
			return getConnection();
		}

	}

}
