package io.github.lockstarter.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

import org.awaitility.Awaitility;

import org.springframework.util.Assert;

/**
 * A MariaDB server process on this machine, with its own port and injectable faults.
 */
public final class LocalMariaDb extends LocalServer implements LocalDatabase {

	private final int port = unusedPort();

	private LocalMariaDb() {
	}

	/** Starts a server with an empty database. */
	public static LocalMariaDb started() {
		LocalMariaDb mariaDb = new LocalMariaDb();
		mariaDb.install();
		mariaDb.start();
		return mariaDb;
	}

	/** Returns the server that tests without faults share. */
	public static LocalMariaDb shared() {
		return Shared.SERVER;
	}

	private void install() {
		try {
			Process installation = new ProcessBuilder("mariadb-install-db", "--no-defaults", user(),
					"--datadir=" + directory(), "--auth-root-authentication-method=normal", "--skip-test-db")
				.redirectErrorStream(true)
				.redirectOutput(output().toFile())
				.start();
			int status = installation.waitFor();
			Assert.state(status == 0, () -> "mariadb-install-db: " + said());
		}
		catch (IOException ex) {
			throw new UncheckedIOException("These tests need mariadb-server: install it", ex);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private String said() {
		try {
			return Files.readString(output());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void start() {
		start(List.of("mariadbd", "--no-defaults", user(), "--datadir=" + directory(), "--bind-address=127.0.0.1",
				"--port=" + this.port, "--socket=" + directory().resolve("socket")));
		Awaitility.await().atMost(Duration.ofMinutes(1)).ignoreExceptions().untilAsserted(() -> {
			try (Connection connection = DriverManager
				.getConnection("jdbc:mariadb://127.0.0.1:%d/?user=root".formatted(this.port));
					Statement statement = connection.createStatement()) {
				statement.execute("CREATE DATABASE IF NOT EXISTS test");
			}
		});
	}

	/** MariaDB refuses to run as root unless configured. */
	private static String user() {
		return "--user=" + System.getProperty("user.name");
	}

	@Override
	public int port() {
		return this.port;
	}

	@Override
	public String url(int port) {
		return "jdbc:mariadb://127.0.0.1:%d/test?user=root".formatted(port);
	}

	/** Started when it is first needed. */
	private static final class Shared {

		private static final LocalMariaDb SERVER = started();

	}

}
