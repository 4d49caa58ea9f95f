package io.github.lockstarter.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

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

	/** Returns a free port. */
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

	/** Returns the log file of the server. */
	final Path output() {
		return this.output;
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

}
