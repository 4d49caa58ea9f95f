package io.github.lockstarter.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.awaitility.Awaitility;

import org.springframework.util.FileSystemUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A PostgreSQL server with its own port. Its binaries are a test dependency.
 */
public final class LocalPostgreSql implements LocalDatabase {

	private final int port = LocalServer.reservePort();

	private final Path directory;

	private final Path copy;

	private String program = "";

	private LocalPostgreSql() {
		try {
			this.directory = Files.createTempDirectory("local-postgresql");
			this.copy = Files.createTempDirectory("local-postgresql-copy");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Runtime.getRuntime().addShutdownHook(new Thread(this::close));
	}

	/** Starts a server with an empty database. */
	public static LocalPostgreSql started() {
		LocalPostgreSql server = new LocalPostgreSql();
		server.install();
		return server;
	}

	/** Returns the server that tests without faults share. */
	public static LocalPostgreSql shared() {
		return Shared.SERVER;
	}

	@Override
	public int port() {
		return this.port;
	}

	@Override
	public String url(int port) {
		return "jdbc:postgresql://127.0.0.1:%d/postgres?user=postgres".formatted(port);
	}

	/** Returns the URL for the reactive driver. */
	public String reactiveUrl() {
		return "r2dbc:postgresql://postgres@127.0.0.1:%d/postgres".formatted(this.port);
	}

	/** Creates the data directory at the first start. */
	private void install() {
		try {
			EmbeddedPostgres.builder()
				.setPort(this.port)
				.setDataDirectory(this.directory)
				.setCleanDataDirectory(false)
				.setRegisterShutdownHook(false)
				.setPGStartupWait(Duration.ofMinutes(2))
				// Committed data must survive a killed process.
				.setServerConfig("synchronous_commit", "on")
				.start();
			this.program = processes().findFirst().flatMap((server) -> server.info().command()).orElseThrow();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void start() {
		// PostgreSQL refuses to run as root.
		Stream<String> unprivileged = "root".equals(System.getProperty("user.name")) ? Stream.of("unshare", "-U")
				: Stream.empty();
		Stream<String> server = Stream.of(this.program, "-D", this.directory.toString(), "-p",
				Integer.toString(this.port));
		try {
			new ProcessBuilder(Stream.concat(unprivileged, server).toList()).redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.DISCARD)
				.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Awaitility.await()
			.atMost(Duration.ofMinutes(2))
			.ignoreExceptions()
			.untilAsserted(() -> DriverManager.getConnection(url()).close());
	}

	@Override
	public void kill() {
		List<ProcessHandle> processes = processes().toList();
		processes.forEach(ProcessHandle::destroyForcibly);
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.until(() -> processes.stream().noneMatch(ProcessHandle::isAlive));
	}

	@Override
	public void freeze() {
		// The first one starts the others.
		processes().findFirst().ifPresent(Signal.STOP::send);
		processes().forEach(Signal.STOP::send);
	}

	/** Terminates the server process of one connection. */
	public void freeze(long backend) {
		ProcessHandle.of(backend).ifPresent(Signal.STOP::send);
	}

	@Override
	public void thaw() {
		processes().forEach(Signal.CONT::send);
	}

	/** Copies the data, like a replica that lags from now on. */
	public void beginLag() {
		kill();
		move(this.directory, this.copy);
		start();
	}

	/** Kills the server, and starts it with the copy. */
	public void failOver() {
		kill();
		move(this.copy, this.directory);
		start();
	}

	private static void move(Path from, Path to) {
		try {
			FileSystemUtils.deleteRecursively(to);
			Process copy = new ProcessBuilder("cp", "-a", from.toString(), to.toString()).start();
			assertThat(copy.waitFor()).as("cp -a").isZero();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		kill();
		FileSystemUtils.deleteRecursively(this.directory.toFile());
		FileSystemUtils.deleteRecursively(this.copy.toFile());
	}

	/** Returns the server's processes, with one for each connection. */
	private Stream<ProcessHandle> processes() {
		Path file = this.directory.resolve("postmaster.pid");
		try {
			return Files.exists(file) ? ProcessHandle.of(Long.parseLong(Files.readAllLines(file).get(0)))
				.stream()
				.flatMap((server) -> Stream.concat(Stream.of(server), server.descendants())) : Stream.empty();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Started when it is first needed. */
	private static final class Shared {

		private static final LocalPostgreSql SERVER = started();

	}

}
