package io.github.lockstarter.testing;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.awaitility.core.TerminalFailureException;
import org.awaitility.core.ThrowingRunnable;
import org.jspecify.annotations.Nullable;

import org.springframework.util.FileSystemUtils;

/**
 * A server process on this machine, with its own directory and injectable faults.
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

	/**
	 * Reserves a free port outside of the ranges from which Linux, macOS and Windows by
	 * default take ports for connections and for servers without a port of their own. No
	 * other process of tests of this user gets it before this process ends. So it is most
	 * likely still free when the server starts, and starts again. The port of a Redis
	 * cluster bus, which is 10,000 higher, is free as well.
	 */
	public static int reservePort() {
		while (true) {
			int port = ThreadLocalRandom.current().nextInt(11_000, 21_000);
			if (!Ports.reserve(port)) {
				continue;
			}
			try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
					ServerSocket bus = new ServerSocket(port + 10_000, 1, InetAddress.getLoopbackAddress())) {
				return socket.getLocalPort();
			}
			catch (BindException ex) {
				// It is in use: try another one.
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
	}

	final Path directory() {
		return this.directory;
	}

	/** Returns the log file of the server. */
	final Path output() {
		return this.output;
	}

	/**
	 * Returns a program of the {@code PATH} or else of {@code /usr/sbin}, which Debian
	 * has on the {@code PATH} of administrators only.
	 */
	static String administrative(String program) {
		boolean found = Stream.of(System.getenv("PATH").split(File.pathSeparator))
			.anyMatch((directory) -> Files.isExecutable(Path.of(directory, program)));
		return found ? program : Path.of("/usr/sbin", program).toString();
	}

	/** Starts the server with a command, without waiting until it answers. */
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

	/**
	 * Waits until the server answers; if it has ended or does not answer, shows what it
	 * wrote.
	 */
	final void awaitAnswer(ThrowingRunnable question) {
		try {
			Awaitility.await()
				.atMost(Duration.ofMinutes(2))
				.pollDelay(Duration.ZERO)
				.ignoreExceptions()
				.failFast("it has ended", () -> !running().isAlive())
				.untilAsserted(question);
		}
		catch (ConditionTimeoutException | TerminalFailureException ex) {
			throw new IllegalStateException("The server does not answer. It wrote: " + written(), ex);
		}
	}

	/** Returns what the server wrote. */
	final String written() {
		try {
			return Files.readString(this.output, StandardCharsets.ISO_8859_1);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Returns the process, whose resources can be read. */
	public ProcessHandle process() {
		return running().toHandle();
	}

	/** Kills the server and its child processes, as {@code kill -9} does. */
	public void kill() {
		if (this.process != null) {
			this.process.descendants().forEach(ProcessHandle::destroyForcibly);
			this.process.destroyForcibly().onExit().join();
		}
	}

	/** Freezes the server; its connections stay open. */
	public void freeze() {
		Signal.STOP.send(running().toHandle());
	}

	public void thaw() {
		Signal.CONT.send(running().toHandle());
	}

	@Override
	public void close() {
		kill();
		FileSystemUtils.deleteRecursively(this.directory.toFile());
	}

	private Process running() {
		if (this.process == null) {
			throw new IllegalStateException("It has not been started");
		}
		return this.process;
	}

	/**
	 * The ports that the processes of tests of this user have: a lock on one byte of a
	 * common file for each.
	 */
	private static final class Ports {

		private static final FileChannel FILE = open();

		private static FileChannel open() {
			try {
				Path file = Path.of(System.getProperty("java.io.tmpdir"),
						"lock-spring-boot-ports-" + System.getProperty("user.name"));
				return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

		/** Reserves a port until this process ends. Returns whether it was free. */
		static boolean reserve(int port) {
			try {
				return FILE.tryLock(port, 1, false) != null;
			}
			catch (OverlappingFileLockException ex) {
				return false;
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
