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

	/** Returns its process, to read how it is doing. */
	public ProcessHandle process() {
		return running().toHandle();
	}

	/** Kills it, as {@code kill -9} does, with what it has started. */
	public void kill() {
		if (this.process != null) {
			this.process.descendants().forEach(ProcessHandle::destroyForcibly);
			this.process.destroyForcibly().onExit().join();
		}
	}

	/** Stops it from doing anything, with all its connections open. */
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
