package io.github.lockstarter.autoconfigure;

import java.util.UUID;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;

import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.annotation.ExclusiveRequest;
import io.github.lockstarter.testing.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * An application whose transactions choose the schema of a tenant on the connections of
 * one pool.
 */
@Tag("database")
class TenantSchemasTests {

	private static final String TENANT = "tenant_schema";

	@ParameterizedTest
	@MethodSource("io.github.lockstarter.testing.TestDatabase#all")
	@DisplayName("Transactions in the schema of a tenant join their lock, whether or not that schema has tables with the same names")
	void tenants(TestDatabase database) {
		HikariDataSource pool = new HikariDataSource();
		pool.setJdbcUrl(database.url("tenant-schemas"));
		pool.setMaximumPoolSize(2);
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class,
					DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class,
					JdbcTemplateAutoConfiguration.class, JdbcClientAutoConfiguration.class,
					LockAutoConfiguration.class))
			.withPropertyValues("lock.store=jdbc", "lock.jdbc.initialize-schema=always",
					"lock.jdbc.table=tenants_locks", "lock.jdbc.command-timeout=30s")
			.withBean(DataSource.class, () -> pool)
			.withBean(TestDatabase.class, () -> database)
			.withBean(Orders.class)
			.run((context) -> {
				Orders orders = context.getBean(Orders.class);
				orders.createSchema();
				checkJoined(orders, 1);
				orders.createOtherLocks();
				checkJoined(orders, 2);
			});
	}

	private static void checkJoined(Orders orders, int count) {
		String key = UUID.randomUUID().toString();
		String first = orders.place(key);
		assertThat(orders.place(key)).isEqualTo(first);
		assertThat(orders.results(key)).isOne();
		assertThatExceptionOfType(LeaseLostException.class).isThrownBy(orders::placeWithoutLease);
		assertThat(orders.count()).isEqualTo(count);
	}

	static class Orders {

		private final JdbcClient jdbc;

		private final TestDatabase database;

		private final String home;

		Orders(JdbcClient jdbc, TestDatabase database) {
			this.jdbc = jdbc;
			this.database = database;
			this.home = switch (database) {
				case H2, POSTGRESQL -> "PUBLIC";
				case MARIADB, MYSQL -> "test";
			};
		}

		@ExclusiveRequest(name = "tenants", key = "#key", replay = "1h")
		@Transactional
		public String place(String key) {
			chooseTenant();
			this.jdbc.sql("INSERT INTO tenant_orders VALUES (1)").update();
			return key + " " + UUID.randomUUID();
		}

		@ExclusiveRequest(name = "tenants", key = "'lost'")
		@Transactional
		public boolean placeWithoutLease() {
			chooseTenant();
			this.jdbc.sql("INSERT INTO tenant_orders VALUES (1)").update();
			this.jdbc
				.sql("UPDATE %s.tenants_locks SET token = token + 1 WHERE lock_key = 'tenants:lost'"
					.formatted(this.home))
				.update();
			return true;
		}

		private void chooseTenant() {
			this.jdbc.sql(switch (this.database) {
				case H2 -> "SET SCHEMA " + TENANT;
				case POSTGRESQL -> "SET search_path TO " + TENANT;
				case MARIADB, MYSQL -> "USE " + TENANT;
			}).update();
		}

		void createSchema() {
			boolean cascades = this.database == TestDatabase.H2 || this.database == TestDatabase.POSTGRESQL;
			this.jdbc.sql("DROP SCHEMA IF EXISTS %s %s".formatted(TENANT, cascades ? "CASCADE" : "")).update();
			this.jdbc.sql("CREATE SCHEMA " + TENANT).update();
			this.jdbc.sql("CREATE TABLE %s.tenant_orders (id INT)".formatted(TENANT)).update();
		}

		void createOtherLocks() {
			for (String each : new String[] { "tenants_locks", "tenants_locks_results" }) {
				this.jdbc
					.sql("CREATE TABLE %1$s.%3$s AS SELECT * FROM %2$s.%3$s WHERE 1 = 0".formatted(TENANT, this.home,
							each))
					.update();
			}
		}

		long results(String key) {
			return this.jdbc
				.sql("SELECT count(*) FROM %s.tenants_locks_results WHERE lock_key = ?".formatted(this.home))
				.param("tenants:" + key)
				.query(Long.class)
				.single();
		}

		int count() {
			return this.jdbc.sql("SELECT count(*) FROM %s.tenant_orders".formatted(TENANT))
				.query(Integer.class)
				.single();
		}

	}

}
