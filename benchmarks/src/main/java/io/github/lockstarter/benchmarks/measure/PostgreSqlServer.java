package io.github.lockstarter.benchmarks.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

import org.springframework.util.Assert;
import org.springframework.util.FileSystemUtils;

import io.github.lockstarter.benchmarks.candidate.PostgreSqlAddress;

/**
 * A PostgreSQL server that this process starts. Unlike a server for tests, it writes a
 * commit to the disk before it answers, as in production.
 */
public final class PostgreSqlServer implements LockServer {

	/** On, as in production; the command line of an embedded server turns some off. */
	private static final List<String> DURABILITY = List.of("fsync", "full_page_writes", "synchronous_commit");

	private final Path directory;

	private final EmbeddedPostgres postgres;

	private final PostgreSqlAddress address;

	private final Connection connection;

	/** Starts one, with an empty database. */
	public PostgreSqlServer() {
		try {
			this.directory = Files.createTempDirectory("benchmarks-postgresql");
			EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder()
				.setDataDirectory(this.directory)
				.setServerConfig("shared_preload_libraries", "pg_stat_statements");
			DURABILITY.forEach((setting) -> builder.setServerConfig(setting, "on"));
			this.postgres = builder.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.address = new PostgreSqlAddress(this.postgres.getPort());
		try {
			this.connection = DriverManager.getConnection(this.address.url());
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
		DURABILITY.forEach((setting) -> Assert.state(query("SHOW " + setting).equals("on"), () -> setting + " is off"));
		execute("CREATE EXTENSION pg_stat_statements");
	}

	/** Returns where it is. */
	public PostgreSqlAddress address() {
		return this.address;
	}

	@Override
	public String name() {
		return "PostgreSQL";
	}

	@Override
	public String version() {
		return query("SHOW server_version");
	}

	@Override
	public void clear() {
		String tables = query("SELECT string_agg(tablename, ', ') FROM pg_tables WHERE schemaname = 'public'");
		if (!tables.isEmpty()) {
			execute("TRUNCATE " + tables);
		}
	}

	/** Sums it over the server and its processes, of which each connection has one. */
	@Override
	public double processorSeconds() {
		return processes().map((process) -> process.info().totalCpuDuration().orElse(Duration.ZERO))
			.mapToDouble((time) -> time.toNanos() / 1e9)
			.sum();
	}

	private Stream<ProcessHandle> processes() {
		try {
			long server = Long.parseLong(Files.readAllLines(this.directory.resolve("postmaster.pid")).get(0));
			return ProcessHandle.of(server)
				.stream()
				.flatMap((process) -> Stream.concat(Stream.of(process), process.descendants()));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Counts the statements that the server has executed, by {@code pg_stat_statements}.
	 * The number of transactions would not do, since some candidates run several
	 * statements in one. A {@code BEGIN} counts and its {@code COMMIT} does not: the
	 * driver sends {@code BEGIN} together with the statement after it, so both are one
	 * request. What the driver sends on a new connection is left out.
	 */
	@Override
	public long count(Sender sender) throws Exception {
		execute("SELECT pg_stat_statements_reset()");
		sender.send();
		return Long.parseLong(query("""
				SELECT coalesce(sum(calls), 0) FROM pg_stat_statements
				WHERE query <> 'COMMIT' AND query NOT LIKE 'SET application_name%'
				AND query NOT LIKE '%pg_stat_statements%'"""));
	}

	private void execute(String sql) {
		try (Statement statement = this.connection.createStatement()) {
			statement.execute(sql);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Returns the only value of the result; an empty one if that is {@code null}. */
	private String query(String sql) {
		try (Statement statement = this.connection.createStatement(); ResultSet rows = statement.executeQuery(sql)) {
			rows.next();
			String value = rows.getString(1);
			return (value != null) ? value : "";
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		try {
			this.connection.close();
			this.postgres.close();
			FileSystemUtils.deleteRecursively(this.directory);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
