package io.github.lockstarter.autoconfigure;

import java.sql.Connection;
import java.time.Duration;
import java.util.UUID;

import javax.sql.DataSource;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceInitializationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.store.Capability;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.jdbc.JdbcLockStore;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The JDBC store of an application.
 */
@ExtendWith(OutputCaptureExtension.class)
class JdbcStoreTests {

	private final String url = "jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID());

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
				DataSourceInitializationAutoConfiguration.class, LockAutoConfiguration.class))
		.withPropertyValues("lock.store=jdbc", "lock.jdbc.command-timeout=30s");

	@Test
	@DisplayName("In an embedded database, including the one that Spring Boot configures, the tables are created")
	void embedded() {
		this.runner.run((context) -> {
			assertThat(context.getBean(LockStore.class)).isInstanceOf(JdbcLockStore.class);
			context.getBean(LockRegistry.class).acquire("team:42").close();
		});
	}

	@Test
	@DisplayName("When handlers use all connections of the application's pool, locks are acquired, renewed and released")
	void drainedPool() {
		this.runner
			.withPropertyValues("spring.datasource.url=" + this.url, "spring.datasource.hikari.maximum-pool-size=1")
			.run((context) -> {
				try (Connection last = context.getBean(DataSource.class).getConnection()) {
					assertThat(last.isValid(10)).isTrue();
					Duration ttl = Duration.ofSeconds(4);
					Lease lease = context.getBean(LockRegistry.class)
						.acquire(new LockKey("team", "42"), LockOptions.of(ttl));
					Awaitility.await().during(ttl.plusSeconds(2)).until(lease::isHeld);
					lease.close();
					context.getBean(LockRegistry.class).acquire("team:42").close();
				}
			});
	}

	@Test
	@DisplayName("The settings of the application's pool apply to the store: the locks are in the same schema")
	void settingsOfPool() {
		this.runner
			.withPropertyValues("spring.datasource.url=" + this.url + ";INIT=CREATE SCHEMA IF NOT EXISTS APP",
					"spring.datasource.hikari.schema=APP")
			.run((context) -> {
				context.getBean(LockRegistry.class).acquire("team:42").close();
				try (Connection connection = context.getBean(DataSource.class).getConnection()) {
					assertThat(connection.createStatement().executeQuery("SELECT * FROM app.locks").next()).isTrue();
				}
			});
	}

	@Test
	@DisplayName("The application's migrations create the tables before the store looks for them")
	void migration() {
		this.runner
			.withPropertyValues("spring.datasource.url=" + this.url, "lock.jdbc.initialize-schema=never",
					"spring.sql.init.schema-locations=classpath:io/github/lockstarter/store/jdbc/schema-h2.sql")
			.run((context) -> context.getBean(LockRegistry.class).acquire("team:42").close());
	}

	@Test
	@DisplayName("Without tables the start fails, and the message contains the statements that create them")
	void noTables() {
		this.runner.withPropertyValues("spring.datasource.url=" + this.url, "lock.jdbc.initialize-schema=never")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(LockConfigurationException.class, (ex) -> {
					assertThat(ex).hasMessageContaining("The tables of the locks cannot be used")
						.hasMessageContainingAll("LOCKS", "not found");
					assertThat(ex.getAction()).contains("CREATE TABLE IF NOT EXISTS locks (");
				}));
	}

	@Test
	@DisplayName("When the database does not answer, the application starts, and logs a warning")
	void noDatabase(CapturedOutput output) {
		this.runner
			.withPropertyValues("lock.jdbc.url=jdbc:postgresql://127.0.0.1:1/none", "lock.jdbc.command-timeout=1s")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(output).contains(
						"The tables of the locks could not be checked: calls that need a lock fail until the database answers");
			});
	}

	@Test
	@DisplayName("With several data sources the start fails; lock.jdbc.url selects a database, whose locks do not join transactions")
	void severalDataSources() {
		ApplicationContextRunner several = this.runner
			.withBean("one", DataSource.class, () -> new DriverManagerDataSource(this.url))
			.withBean("other", DataSource.class, () -> new DriverManagerDataSource(this.url));
		several.run((context) -> assertThat(context).getFailure()
			.rootCause()
			.isInstanceOf(LockConfigurationException.class)
			.hasMessageContaining("several and none is primary"));
		several.withPropertyValues("lock.jdbc.url=" + this.url).run((context) -> {
			context.getBean(LockRegistry.class).acquire("team:42").close();
			assertThat(context.getBean(LockStore.class).capabilities()).doesNotContain(Capability.JOINS_TRANSACTIONS);
		});
	}

	@Test
	@DisplayName("An unsupported database prevents startup, and the message names the supported ones")
	void unsupported() {
		this.runner.withPropertyValues("lock.jdbc.url=jdbc:oracle:thin:scott/secret@//127.0.0.1/x")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOfSatisfying(LockConfigurationException.class, (ex) -> {
					assertThat(ex).hasMessageContaining("jdbc:oracle:").message().doesNotContain("secret");
					assertThat(ex.getAction()).contains("PostgreSQL, MySQL, MariaDB or H2");
				}));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			lock.jdbc.table           | a b        | letters, digits
			lock.jdbc.table           | x; drop x  | letters, digits
			lock.jdbc.connections     | 1          | at least 2
			lock.jdbc.connections     | 101        | at most 100
			lock.jdbc.command-timeout | 0ms        | 1ms
			""")
	@DisplayName("A value that the store cannot use prevents startup, and the message names the property and the valid values")
	void invalid(String property, String value, String allowed) {
		this.runner.withPropertyValues(property + "=" + value)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidConfigurationPropertyValueException.class)
				.hasMessageContaining(property)
				.hasMessageContaining(allowed));
	}

}
