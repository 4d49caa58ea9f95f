package io.github.lockstarter.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import org.springframework.util.FileSystemUtils;

/**
 * A server that runs as a process on this machine, in a directory of its own, and can be
 * broken at will.
 */
public abstract class LocalServer implements AutoCloseable {

	private final Path directory;

	private final Path output;

	private @Nullable Process process;

	LocalServer() {
		try {
			this.directory = Files.createTempDirectory("local-server");
			this.output = this.directory.resolve("output.log");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Runtime.getRuntime().addShutdownHook(new Thread(this::close));
	}

	/** Returns a port that nobody uses. */
	static int unusedPort() {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	final Path directory() {
		return this.directory;
	}

	/** Returns the file that it writes to what it has to say. */
	final Path output() {
		return this.output;
	}

	/** Starts it with a command. Does not wait until it answers. */
	final void start(List<String> command) {
		try {
			this.process = new ProcessBuilder(command).directory(this.directory.toFile())
				.redirectErrorStream(true)
				.redirectOutput(ProcessBuilder.Redirect.appendTo(this.output.toFile()))
				.start();
		}
		catch (IOException ex) {
			throw new IllegalStateException("These tests need %s on the PATH: install it".formatted(command.get(0)),
					ex);
		}
	}

	/** Kills it, as {@code kill -9} does. */
	public void kill() {
		if (this.process != null) {
			this.process.destroyForcibly().onExit().join();
		}
	}

	/**
	 * Stops it from doing anything, with all its connections open. Each of its threads
	 * may go on for a moment, so this waits until all of them stand still.
	 */
	public void freeze() {
		signal("STOP");
		Process running = this.process;
		if (running != null && Files.isDirectory(Path.of("/proc", "self"))) {
			Awaitility.await()
				.pollDelay(Duration.ZERO)
				.pollInterval(Duration.ofMillis(1))
				.until(() -> isFrozen(Path.of("/proc", Long.toString(running.pid()), "task")));
		}
	}

	private static boolean isFrozen(Path threads) throws IOException {
		try (Stream<Path> all = Files.list(threads)) {
			for (Path thread : all.toList()) {
				if (!Files.readString(thread.resolve("stat")).contains(") T ")) {
					return false;
				}
			}
			return true;
		}
	}

	public void thaw() {
		signal("CONT");
	}

	@Override
	public void close() {
		kill();
		FileSystemUtils.deleteRecursively(this.directory.toFile());
	}

	private void signal(String name) {
		Process running = this.process;
		if (running == null) {
			throw new IllegalStateException("It has not been started");
		}
		try {
			new ProcessBuilder("sh", "-c", "kill -%s %d".formatted(name, running.pid())).start().onExit().join();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
