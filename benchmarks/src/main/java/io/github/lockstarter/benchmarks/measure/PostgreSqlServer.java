package io.github.lockstarter.benchmarks.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

import org.springframework.util.Assert;
import org.springframework.util.FileSystemUtils;

import io.github.lockstarter.benchmarks.candidate.DatabaseAddress;
import io.github.lockstarter.benchmarks.candidate.DatabaseAddress.Kind;

/**
 * A PostgreSQL server that this process starts. Unlike a server for tests, it writes a
 * commit to the disk before it answers, as in production.
 */
public final class PostgreSqlServer implements LockServer {

	/** On, as in production; the command line of an embedded server turns some off. */
	private static final List<String> DURABILITY = List.of("fsync", "full_page_writes", "synchronous_commit");

	private final Path directory;

	private final EmbeddedPostgres postgres;

	private final DatabaseAddress address;

	private final SqlConsole console;

	/** Starts a server with an empty database. */
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
		this.address = new DatabaseAddress(Kind.POSTGRESQL, this.postgres.getPort());
		this.console = new SqlConsole(this.address.url());
		DURABILITY.forEach((setting) -> Assert.state(this.console.query("SHOW " + setting).equals("on"),
				() -> setting + " is off"));
		this.console.execute("CREATE EXTENSION pg_stat_statements");
	}

	/** Returns the address of the server. */
	public DatabaseAddress address() {
		return this.address;
	}

	@Override
	public String name() {
		return "PostgreSQL";
	}

	@Override
	public String version() {
		return this.console.query("SHOW server_version");
	}

	@Override
	public void clear() {
		String tables = this.console
			.query("SELECT string_agg(tablename, ', ') FROM pg_tables WHERE schemaname = 'public'");
		if (!tables.isEmpty()) {
			this.console.execute("TRUNCATE " + tables);
		}
	}

	/** Sums the time of the server and of its processes, one for each connection. */
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
	 * Counts the statements that the server has executed, with
	 * {@code pg_stat_statements}. The number of transactions is not sufficient, because
	 * some candidates run several statements in one. A {@code BEGIN} counts and its
	 * {@code COMMIT} does not: the driver sends {@code BEGIN} together with the next
	 * statement, so both are one. Statements that the driver sends on a new connection
	 * are excluded.
	 */
	@Override
	public long count(Sender sender) throws Exception {
		this.console.execute("SELECT pg_stat_statements_reset()");
		sender.send();
		return Long.parseLong(this.console.query("""
				SELECT coalesce(sum(calls), 0) FROM pg_stat_statements
				WHERE query <> 'COMMIT' AND query NOT LIKE 'SET application_name%'
				AND query NOT LIKE '%pg_stat_statements%'"""));
	}

	@Override
	public void close() {
		try {
			this.console.close();
			this.postgres.close();
			FileSystemUtils.deleteRecursively(this.directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
