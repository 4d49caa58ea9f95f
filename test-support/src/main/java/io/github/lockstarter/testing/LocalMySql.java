package io.github.lockstarter.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * A MariaDB server process on this machine, with its own port and injectable faults; with
 * {@code -Dtest.mysqld}, which names the program, a MySQL server.
 */
public final class LocalMySql extends LocalServer implements LocalDatabase {

	/** The program of MySQL that this run tests; {@code null} for MariaDB. */
	static final @Nullable String CHOSEN = System.getProperty("test.mysqld");

	private final int port = reservePort();

	/** The program of MySQL; {@code null} for MariaDB. */
	private final @Nullable String mysqld;

	private LocalMySql(@Nullable String mysqld) {
		this.mysqld = mysqld;
		install();
		start();
	}

	/** Starts a server with an empty database. */
	public static LocalMySql started() {
		return new LocalMySql(CHOSEN);
	}

	/** Starts a MariaDB server with an empty database, whatever was chosen. */
	public static LocalMySql mariaDb() {
		return new LocalMySql(null);
	}

	/** Returns the server that tests without faults share. */
	public static LocalMySql shared() {
		return Shared.SERVER;
	}

	private void install() {
		List<String> command = (this.mysqld != null) ? command(this.mysqld, "--initialize-insecure")
				: command("mariadb-install-db", "--auth-root-authentication-method=normal", "--skip-test-db");
		try {
			Process installation = new ProcessBuilder(command).redirectErrorStream(true)
				.redirectOutput(output().toFile())
				.start();
			int status = installation.waitFor();
			Assert.state(status == 0, () -> command.get(0) + ": " + written());
		}
		catch (IOException ex) {
			String missing = (this.mysqld != null) ? this.mysqld : "mariadb-server";
			throw new UncheckedIOException("These tests need %s: install it".formatted(missing), ex);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Returns a command for a server in this directory, as the user of this process. */
	private List<String> command(String program, String... options) {
		List<String> command = new ArrayList<>();
		// Both servers refuse to run as root unless configured. MariaDB deletes all
		// temporary tables in its --tmpdir when it starts, even those of other servers.
		command.addAll(List.of(program, "--no-defaults", "--user=" + System.getProperty("user.name"),
				"--datadir=" + directory().resolve("data"), "--tmpdir=" + directory()));
		command.addAll(List.of(options));
		return command;
	}

	@Override
	public void start() {
		List<String> command = command((this.mysqld != null) ? this.mysqld : administrative("mariadbd"),
				"--bind-address=127.0.0.1", "--port=" + this.port, "--socket=" + directory().resolve("socket"));
		if (this.mysqld != null) {
			command.addAll(List.of("--secure-file-priv=NULL", "--mysqlx=OFF"));
		}
		start(command);
		awaitAnswer(() -> {
			try (Connection connection = DriverManager
				.getConnection("jdbc:%s://127.0.0.1:%d/?user=root".formatted(driver(), this.port));
					Statement statement = connection.createStatement()) {
				statement.execute("CREATE DATABASE IF NOT EXISTS test");
			}
		});
	}

	@Override
	public int port() {
		return this.port;
	}

	@Override
	public String url(int port) {
		return url(driver(), port);
	}

	/** Returns the URL for the driver of the other product. */
	public String urlOfOtherDriver() {
		return url((this.mysqld != null) ? "mariadb" : "mysql", this.port);
	}

	private String driver() {
		return (this.mysqld != null) ? "mysql" : "mariadb";
	}

	private static String url(String driver, int port) {
		return "jdbc:%s://127.0.0.1:%d/test?user=root".formatted(driver, port);
	}

	/** Returns the URL for the reactive driver. */
	public String reactiveUrl() {
		return "r2dbc:%s://root@127.0.0.1:%d/test".formatted(driver(), this.port);
	}

	/** Started when it is first needed. */
	private static final class Shared {

		private static final LocalMySql SERVER = started();

	}

}
