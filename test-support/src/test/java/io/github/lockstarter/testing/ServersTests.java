package io.github.lockstarter.testing;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.util.List;
import java.util.Properties;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The servers of a run: those that were chosen, and no others. Prints them.
 */
class ServersTests {

	@Test
	@Tag("redis")
	@DisplayName("The shared Redis and those that tests start are of the product and version that -Dtest.redis-version names")
	void redis() {
		String version = System.getProperty("test.redis-version", "");
		try (LocalRedis started = LocalRedis.started()) {
			List<String> servers = List.of(productOf(TestRedis.host(), TestRedis.port()),
					productOf("127.0.0.1", started.port()));
			assertThat(servers).allSatisfy((server) -> assertThat(server).startsWith(version));
			System.out.println("Tested server: " + String.join(", started by tests: ", servers));
		}
	}

	private static String productOf(String host, int port) {
		LettuceConnectionFactory factory = TestRedis.newConnectionFactory(host, port);
		try {
			Properties info = factory.getConnection().serverCommands().info("server");
			String valkey = info.getProperty("valkey_version");
			return (valkey != null) ? "Valkey " + valkey : "Redis " + info.getProperty("redis_version");
		}
		finally {
			factory.destroy();
		}
	}

	@ParameterizedTest
	@Tag("database")
	@MethodSource("io.github.lockstarter.testing.TestDatabase#all")
	@DisplayName("Each database is of its product")
	void database(TestDatabase database) throws Exception {
		try (Connection connection = DriverManager.getConnection(database.url("servers"))) {
			DatabaseMetaData server = connection.getMetaData();
			assertThat(server.getDatabaseProductName()).isEqualToIgnoringCase(database.name());
			System.out.println(
					"Tested server: " + server.getDatabaseProductName() + " " + server.getDatabaseProductVersion());
		}
	}

}
