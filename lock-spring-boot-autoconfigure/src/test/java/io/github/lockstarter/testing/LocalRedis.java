package io.github.lockstarter.testing;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import redis.embedded.core.ExecutableProvider;

import org.springframework.util.FileSystemUtils;

/**
 * A Redis server that runs as a process on this machine, on a port of its own, and can be
 * broken at will. Uses the {@code redis-server} on the PATH, or else the binary that
 * embedded-redis ships.
 */
public final class LocalRedis implements AutoCloseable {

	private final List<String> command;

	private final int port = freePort();

	/** Where a replica writes what it is sent; others write nothing. */
	private final Path directory = temporaryDirectory();

	private Process process;

	public LocalRedis(String... settings) {
		this.command = Stream.concat(Stream.of(executable(), "--port", Integer.toString(this.port), "--bind",
				"127.0.0.1", "--save", "", "--appendonly", "no"), Stream.of(settings))
			.toList();
	}

	/** Starts a server, whose data is gone when it stops. */
	public static LocalRedis started(String... settings) {
		LocalRedis redis = new LocalRedis(settings);
		redis.start();
		return redis;
	}

	public int port() {
		return this.port;
	}

	/** Starts the server and waits until it accepts connections. */
	public void start() {
		try {
			this.process = new ProcessBuilder(this.command).directory(this.directory.toFile())
				.redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.DISCARD)
				.start();
			Runtime.getRuntime().addShutdownHook(new Thread(this::close));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Awaitility.await().atMost(Duration.ofSeconds(10)).until(this::accepts);
	}

	/** Kills the server, as {@code kill -9} does. */
	public void kill() {
		this.process.destroyForcibly().onExit().join();
	}

	/** Stops the server from doing anything, with all its connections open. */
	public void freeze() {
		signal("STOP");
	}

	public void thaw() {
		signal("CONT");
	}

	@Override
	public void close() {
		kill();
		FileSystemUtils.deleteRecursively(this.directory.toFile());
	}

	private boolean accepts() {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), this.port)) {
			socket.getOutputStream().write("PING\r\n".getBytes());
			return socket.getInputStream().read() > 0;
		}
		catch (IOException ex) {
			return false;
		}
	}

	private void signal(String name) {
		try {
			new ProcessBuilder("sh", "-c", "kill -%s %d".formatted(name, this.process.pid())).start().onExit().join();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Path temporaryDirectory() {
		try {
			return Files.createTempDirectory("local-redis");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static int freePort() {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String executable() {
		return Stream.of(System.getenv("PATH").split(File.pathSeparator))
			.map((directory) -> new File(directory, "redis-server"))
			.filter(File::canExecute)
			.findFirst()
			.orElseGet(LocalRedis::shipped)
			.getPath();
	}

	private static File shipped() {
		try {
			return ExecutableProvider.newJarResourceProvider().get();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
