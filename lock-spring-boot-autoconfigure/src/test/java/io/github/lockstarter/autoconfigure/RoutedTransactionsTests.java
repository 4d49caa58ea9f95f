package io.github.lockstarter.autoconfigure;

import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.transaction.annotation.Transactional;

import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.LocalMySql;
import io.github.lockstarter.testing.LocalPostgreSql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A data source that routes to the databases of tenants. The locks are in the default
 * one.
 */
@ExtendWith(OutputCaptureExtension.class)
class RoutedTransactionsTests {

	private static final String WARNING = "The transaction under lock 'orders' cannot be joined by the lock store";

	private static final ThreadLocal<String> TENANT = new ThreadLocal<>();

	private static ApplicationContextRunner runner(DataSource routing) {
		return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class,
				DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class,
				JdbcTemplateAutoConfiguration.class, JdbcClientAutoConfiguration.class, LockAutoConfiguration.class))
			.withPropertyValues("lock.store=jdbc", "lock.jdbc.initialize-schema=always", "lock.jdbc.table=routed_locks",
					"lock.jdbc.command-timeout=30s")
			.withBean(DataSource.class, () -> routing)
			.withBean(Orders.class);
	}

	@ParameterizedTest
	@EnumSource
	@DisplayName("Transactions of tenants elsewhere are committed and replayed, and one warning says that they do not join their lock; those at home join")
	void tenants(Tenants tenants, CapturedOutput output) {
		runner(tenants.create()).run((context) -> {
			Orders orders = context.getBean(Orders.class);
			inTenant("home", orders::createTable);
			inTenant("tenant", orders::createTable);
			assertThat(inTenant("home", () -> orders.place("a"))).isEqualTo(inTenant("home", () -> orders.place("a")));
			assertThat(output).doesNotContain(WARNING);
			String first = inTenant("tenant", () -> orders.place("b"));
			assertThat(inTenant("tenant", () -> orders.place("b"))).isEqualTo(first);
			inTenant("tenant", () -> orders.place("c"));
			assertThat(inTenant("tenant", orders::count)).isEqualTo(2);
			assertThat(inTenant("home", orders::count)).isOne();
			assertThat(output).containsOnlyOnce(WARNING);
			assertThatExceptionOfType(LeaseLostException.class)
				.isThrownBy(() -> inTenant("home", orders::placeWithoutLease));
			assertThat(inTenant("home", orders::count)).isOne();
		});
	}

	@Test
	@DisplayName("Without a default database the start fails, and the message says what to set")
	void noDefault() {
		Routing routing = new Routing(Map.of("tenant", Tenants.pool("jdbc:h2:mem:none", "PUBLIC")), null);
		runner(routing).run((context) -> assertThat(context).getFailure()
			.rootCause()
			.isInstanceOfSatisfying(LockConfigurationException.class, (ex) -> {
				assertThat(ex).hasMessageContaining("routes to several databases");
				assertThat(ex.getAction()).contains("lock.jdbc.url");
			}));
	}

	private static <T> T inTenant(String tenant, Supplier<T> work) {
		TENANT.set(tenant);
		try {
			return work.get();
		}
		finally {
			TENANT.remove();
		}
	}

	/** Where the data of a tenant is. */
	enum Tenants {

		/** In another database, without tables of locks. */
		OTHER_DATABASE {

			@Override
			DataSource create() {
				return routing(pool(newMemoryUrl(), "PUBLIC"), pool(newMemoryUrl(), "PUBLIC"));
			}

		},

		/** In another database, whose tables of locks are unused. */
		OTHER_LOCKS {

			@Override
			DataSource create() {
				HikariDataSource tenant = pool(newMemoryUrl(), "PUBLIC");
				withLocks(tenant, "expires_at BIGINT NOT NULL", "BLOB");
				return new LazyConnectionDataSourceProxy(routing(pool(newMemoryUrl(), "PUBLIC"), tenant));
			}

		},

		/** In another schema, whose tables of locks are unused. */
		OTHER_SCHEMA {

			@Override
			DataSource create() {
				String url = LocalPostgreSql.shared().url();
				JdbcClient client = JdbcClient.create(pool(url, "public"));
				client.sql("DROP SCHEMA IF EXISTS routed CASCADE").update();
				client.sql("CREATE SCHEMA routed").update();
				HikariDataSource tenant = pool(url, "routed");
				withLocks(tenant, "expires_at BIGINT NOT NULL, waiting VARCHAR(36)", "BYTEA");
				return routing(pool(url, "public"), tenant);
			}

		},

		/** In another database of the same server. */
		OTHER_CATALOG {

			@Override
			DataSource create() {
				String url = LocalMySql.shared().url();
				JdbcClient.create(pool(url, null)).sql("CREATE OR REPLACE DATABASE routed").update();
				HikariDataSource tenant = pool(url, null);
				tenant.setCatalog("routed");
				return routing(pool(url, null), tenant);
			}

		};

		abstract DataSource create();

		private static String newMemoryUrl() {
			return "jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID());
		}

		static HikariDataSource pool(String url, String schema) {
			HikariDataSource pool = new HikariDataSource();
			pool.setJdbcUrl(url);
			pool.setSchema(schema);
			pool.setMaximumPoolSize(2);
			return pool;
		}

		private static void withLocks(DataSource dataSource, String last, String bytes) {
			JdbcClient client = JdbcClient.create(dataSource);
			client.sql(
					"CREATE TABLE routed_locks (lock_key VARCHAR(255) NOT NULL PRIMARY KEY, owner VARCHAR(255) NOT NULL, token BIGINT NOT NULL, "
							+ last + ")")
				.update();
			client.sql(
					"CREATE TABLE routed_locks_results (lock_key VARCHAR(255) NOT NULL, name VARCHAR(255) NOT NULL, lock_name VARCHAR(255) NOT NULL, token BIGINT NOT NULL, stored_at BIGINT NOT NULL, kept_until BIGINT NOT NULL, content "
							+ bytes + " NOT NULL, PRIMARY KEY (lock_key, name))")
				.update();
		}

		private static Routing routing(DataSource home, DataSource tenant) {
			return new Routing(Map.of("home", home, "tenant", tenant), home);
		}

	}

	private static final class Routing extends AbstractRoutingDataSource {

		private Routing(Map<String, DataSource> targets, DataSource home) {
			setTargetDataSources(
					targets.entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
			if (home != null) {
				setDefaultTargetDataSource(home);
			}
			setLenientFallback(false);
			afterPropertiesSet();
		}

		@Override
		protected Object determineCurrentLookupKey() {
			return TENANT.get();
		}

	}

	static class Orders {

		private final JdbcClient jdbc;

		Orders(JdbcClient jdbc) {
			this.jdbc = jdbc;
		}

		@ExclusiveRequest(name = "orders", key = "#key", replay = "1h")
		@Transactional
		public String place(String key) {
			this.jdbc.sql("INSERT INTO routed_orders VALUES (1)").update();
			return key + " " + UUID.randomUUID();
		}

		@ExclusiveRequest(name = "orders", key = "'lost'")
		@Transactional
		public boolean placeWithoutLease() {
			this.jdbc.sql("INSERT INTO routed_orders VALUES (1)").update();
			this.jdbc.sql("UPDATE routed_locks SET token = token + 1 WHERE lock_key = 'orders:lost'").update();
			return true;
		}

		boolean createTable() {
			this.jdbc.sql("DROP TABLE IF EXISTS routed_orders").update();
			this.jdbc.sql("CREATE TABLE routed_orders (id INT)").update();
			return true;
		}

		int count() {
			return this.jdbc.sql("SELECT count(*) FROM routed_orders").query(Integer.class).single();
		}

	}

}
