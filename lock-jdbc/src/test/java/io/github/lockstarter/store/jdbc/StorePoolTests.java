package io.github.lockstarter.store.jdbc;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

import com.zaxxer.hikari.HikariConfig;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.lockstarter.LockConfigurationException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

class StorePoolTests {

	@ParameterizedTest
	@ValueSource(strings = { "", "app:s3cret@127.0.0.1:1/locks", "s3cret:db:x",
			"postgres://app:s3cret@127.0.0.1:1/locks", "jdbc:postgres://app:s3cret@127.0.0.1:1/locks",
			"jdbc:s3cret@127.0.0.1", "jdbc:x\n:s3cret", "jdbc:oracle:thin:app/s3cret@//127.0.0.1/x",
			"jdbc:sqlserver://127.0.0.1;user=app;password=s3cret", "jdbc:postgresql://app:s3cret@127.0.0.1:1/locks",
			"JDBC:POSTGRESQL://app:s3cret@127.0.0.1:1/locks", "jdbc:postgresql:app:s3cret@127.0.0.1/locks",
			"jdbc:postgresql:s3cret@x:y/%zz", "jdbc:otel:postgresql://app:s3cret@127.0.0.1:1/locks",
			"jdbc:mysql:s3cret", "jdbc:mysql://s3cret@[/x", "jdbc:mariadb://app:s3cret@127.0.0.1:1/locks",
			"jdbc:mariadb://127.0.0.1:1/locks?password=s3cret&socketTimeout=never", "jdbc:mariadb:s3cret",
			"jdbc:h2:s3cret", "jdbc:h2:mem;PASSWORD=s3cret", "jdbc:h2:mem:x;PASSWORD=s3cret;PASSWORD=s3cret2",
			"jdbc:h2:ssl://app:s3cret@127.0.0.1:1/x", "jdbc:postgresql://127.0.0.1:1?user=app&password=s3cret",
			"jdbc:postgresql://s3cret" })
	@DisplayName("The failure of a URL that cannot be used shows nothing of it but the name of the driver")
	void unusable(String url) {
		assertThat(trace(catchThrowable(() -> connect(url)))).isNotEmpty().doesNotContain("s3cret");
	}

	@ParameterizedTest
	@ValueSource(strings = { "jdbc:postgresql://127.0.0.1:1/locks?user=app&password=s3cret",
			"jdbc:mysql://app:s3cret@127.0.0.1:1/locks", "jdbc:mysql://127.0.0.1:1/locks?user=app&password=s3cret",
			"jdbc:mariadb://127.0.0.1:1/locks?user=app&password=s3cret",
			"jdbc:h2:tcp://127.0.0.1:1/x;USER=app;PASSWORD=s3cret" })
	@DisplayName("The failure of a server that does not answer shows the reason of the driver, and no password")
	void unavailable(String url) {
		Throwable failure = catchThrowable(() -> connect(url));
		assertThat(failure).isInstanceOf(SQLException.class).rootCause().hasMessageStartingWith("Connection refused");
		assertThat(trace(failure)).doesNotContain("s3cret");
	}

	@Test
	@DisplayName("A user before the name of the server is reported with the properties to set instead, unless the driver supports it")
	void userInUrl() {
		assertThatExceptionOfType(LockConfigurationException.class)
			.isThrownBy(() -> new DatabaseUrl("jdbc:postgresql://app:s3cret@db/locks"))
			.withMessageContaining("jdbc:postgresql:")
			.extracting(LockConfigurationException::getAction)
			.asString()
			.contains("lock.jdbc.password");
		assertThat(new DatabaseUrl("jdbc:mysql://app:s3cret@db/locks").database()).isEqualTo(Database.MYSQL);
		assertThat(new DatabaseUrl("jdbc:h2:file:/home/taro@example/locks").database()).isEqualTo(Database.H2);
		assertThat(new DatabaseUrl("jdbc:h2:tcp://db/~/locks;USER=app;PASSWORD=s3cret@2").database())
			.isEqualTo(Database.H2);
		assertThat(new DatabaseUrl("jdbc:h2:tcp://db//home/taro@example/locks").database()).isEqualTo(Database.H2);
		assertThat(new DatabaseUrl("jdbc:postgresql:locks").database()).isEqualTo(Database.POSTGRESQL);
		assertThat(new DatabaseUrl("jdbc:postgresql://db/locks?user=a@b").database()).isEqualTo(Database.POSTGRESQL);
	}

	@Test
	@DisplayName("A wrong setting of the application's pool is reported as it is")
	void wrongSetting() {
		HikariConfig database = new HikariConfig();
		database.setJdbcUrl("jdbc:h2:mem:wrong-setting");
		database.setDataSourceClassName("com.example.MissingDataSource");
		assertThatExceptionOfType(RuntimeException.class)
			.isThrownBy(() -> StorePool.create(database, new DatabaseUrl(database.getJdbcUrl()), 1,
					Duration.ofSeconds(1), new H2Table("locks")))
			.withMessageContaining("com.example.MissingDataSource");
	}

	@Test
	@DisplayName("Why an attempt to use a new connection has failed is the reason only while no connection works")
	void reason() throws SQLException {
		HikariConfig database = new HikariConfig();
		database.setJdbcUrl("jdbc:h2:mem:reason");
		SQLException failure = new SQLException("refused");
		try (StorePool pool = StorePool.create(database, new DatabaseUrl(database.getJdbcUrl()), 2,
				Duration.ofSeconds(5), new H2Table("locks")); Connection working = pool.getConnection()) {
			pool.attempts().failed(failure);
			assertThat((Throwable) pool.lastFailure()).isSameAs(failure);
			pool.worked(working);
			pool.attempts().failed(failure);
			assertThat((Throwable) pool.lastFailure()).isNull();
			pool.evictConnection(working);
			Awaitility.await().until(() -> pool.lastFailure() == failure);
		}
	}

	/** Waits until the driver has failed: the pool may give up earlier. */
	private static void connect(String url) throws Throwable {
		HikariConfig database = new HikariConfig();
		database.setJdbcUrl(url);
		database.setUsername("app");
		try (StorePool pool = StorePool.create(database, new DatabaseUrl(url), 1, Duration.ofMillis(1),
				new H2Table("locks"))) {
			throw Awaitility.await()
				.until(() -> catchThrowable(pool::getConnection),
						(failure) -> failure.getCause() != null || failure.getMessage().contains("driver"));
		}
	}

	private static String trace(Throwable failure) {
		StringWriter trace = new StringWriter();
		failure.printStackTrace(new PrintWriter(trace));
		return trace.toString();
	}

}
