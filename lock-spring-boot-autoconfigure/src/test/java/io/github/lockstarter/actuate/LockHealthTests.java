package io.github.lockstarter.actuate;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.testing.LocalPostgreSql;
import io.github.lockstarter.testing.LocalRedis;
import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("redis")
class LockHealthTests {

	@Test
	@DisplayName("Health is UP; while the store's server is frozen, it is DOWN within the timeout; then it is UP again")
	void followsTheServer() throws Exception {
		try (LocalRedis redis = LocalRedis.started();
				TestServer server = TestServer.start(new Class<?>[] { WatchedApplication.class },
						"spring.data.redis.port=" + redis.port(), "management.health.redis.enabled=false",
						"management.endpoint.health.show-components=always")) {
			Awaitility.await().until(() -> health(server).contains("\"lockStore\":{\"status\":\"UP\""));
			redis.freeze();
			long asked = System.nanoTime();
			assertThat(health(server)).contains("\"lockStore\":{\"status\":\"DOWN\"");
			assertThat(System.nanoTime() - asked).isLessThan(5_000_000_000L);
			redis.thaw();
			Awaitility.await().until(() -> health(server).contains("\"lockStore\":{\"status\":\"UP\""));
			assertThat(redis.ask("KEYS lock:{*")).as("held locks").isEqualTo("*0");
		}
	}

	@Test
	@DisplayName("While the store's server can only be read, health is DOWN, with the reason")
	void readOnly() throws Exception {
		try (LocalRedis primary = LocalRedis.started();
				LocalRedis redis = LocalRedis.started("--replicaof", "127.0.0.1 " + primary.port());
				TestServer server = TestServer.start(new Class<?>[] { WatchedApplication.class },
						"spring.data.redis.port=" + redis.port(), "management.health.redis.enabled=false",
						"management.endpoint.health.show-components=always",
						"management.endpoint.health.show-details=always")) {
			Awaitility.await()
				.untilAsserted(() -> assertThat(health(server)).contains("\"lockStore\":{", "\"status\":\"DOWN\"",
						"READONLY"));
			redis.ask("REPLICAOF NO ONE");
			Awaitility.await()
				.untilAsserted(() -> assertThat(health(server)).contains("\"status\":\"UP\"").doesNotContain("DOWN"));
		}
	}

	@Test
	@DisplayName("While the database of the store can only be read, health is DOWN, with the reason")
	void readOnlyDatabase() throws Exception {
		try (LocalPostgreSql database = LocalPostgreSql.started();
				TestServer server = TestServer.start(new Class<?>[] { WatchedApplication.class }, "lock.store=jdbc",
						"lock.jdbc.url=" + database.url(), "lock.jdbc.initialize-schema=always",
						"spring.datasource.url=" + database.url(), "management.health.db.enabled=false",
						"management.health.redis.enabled=false", "management.endpoint.health.show-components=always",
						"management.endpoint.health.show-details=always")) {
			Awaitility.await().until(() -> health(server).contains("\"lockStore\":{"), Boolean::booleanValue);
			assertThat(health(server)).doesNotContain("DOWN");
			setReadOnly(database, "on");
			Awaitility.await()
				.untilAsserted(() -> assertThat(health(server)).contains("\"status\":\"DOWN\"", "read-only"));
			setReadOnly(database, "off");
			Awaitility.await()
				.untilAsserted(() -> assertThat(health(server)).contains("\"status\":\"UP\"").doesNotContain("DOWN"));
		}
	}

	private static void setReadOnly(LocalPostgreSql database, String value) throws SQLException {
		try (Connection connection = DriverManager.getConnection(database.url());
				Statement statement = connection.createStatement()) {
			statement.execute("SET default_transaction_read_only = off");
			statement.execute("ALTER SYSTEM SET default_transaction_read_only = " + value);
			statement.execute("SELECT pg_reload_conf()");
		}
	}

	@Test
	@DisplayName("The health indicator can be switched off")
	void disabled() throws Exception {
		try (TestServer server = TestServer.start(new Class<?>[] { WatchedApplication.class }, "lock.store=memory",
				"management.health.lock-store.enabled=false", "management.endpoint.health.show-components=always")) {
			assertThat(health(server)).contains("UP").doesNotContain("lockStore");
		}
	}

	private static String health(TestServer server) throws Exception {
		return server.get("/actuator/health").body();
	}

}
