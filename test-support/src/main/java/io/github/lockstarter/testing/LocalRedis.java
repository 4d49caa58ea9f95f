package io.github.lockstarter.testing;

import java.io.DataInputStream;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import redis.embedded.core.ExecutableProvider;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A Redis or Valkey server process on this machine, with its own port and injectable
 * faults. Uses the program that {@code -Dtest.redis-server} names, or else the
 * {@code redis-server} on the PATH, or else the binary of embedded-redis.
 */
public final class LocalRedis extends LocalServer {

	/** The program that this run tests; {@code null} if any will do. */
	static final @Nullable String CHOSEN = System.getProperty("test.redis-server");

	private final List<String> command = new ArrayList<>();

	private final int port = reservePort();

	public LocalRedis(String... settings) {
		this.command.addAll(List.of(executable(), "--port", Integer.toString(this.port), "--bind", "127.0.0.1",
				"--save", "", "--appendonly", "no"));
		this.command.addAll(List.of(settings));
	}

	/** Creates a server with a configuration file, one setting per line. */
	private LocalRedis(List<String> settings) throws IOException {
		Path file = directory().resolve("redis.conf");
		Files.write(file, settings);
		Files.writeString(file, "port %d%nbind 127.0.0.1%n".formatted(this.port), StandardOpenOption.APPEND);
		this.command.addAll(List.of(executable(), file.toString()));
	}

	/** Returns a sentinel that is not started. */
	public static LocalRedis sentinel(String... settings) {
		try {
			LocalRedis sentinel = new LocalRedis(List.of(settings));
			sentinel.command.add("--sentinel");
			return sentinel;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Starts a server whose data is lost when it stops. */
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
		start(this.command);
		awaitAnswer(() -> assertThat(ask("PING")).isNotEmpty());
	}

	/** Sends a command, and returns the first line or the text of the reply. */
	public String ask(String command) {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), this.port)) {
			socket.setSoTimeout(10_000);
			socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.US_ASCII));
			DataInputStream reply = new DataInputStream(socket.getInputStream());
			StringBuilder line = new StringBuilder();
			for (int next = reply.read(); next != '\n' && next >= 0; next = reply.read()) {
				line.append((char) next);
			}
			String first = line.toString().strip();
			return first.startsWith("$")
					? new String(reply.readNBytes(Integer.parseInt(first.substring(1))), StandardCharsets.UTF_8)
					: first;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Returns whether the reply to the command contains the text. */
	boolean says(String command, String expected) {
		try {
			return ask(command).contains(expected);
		}
		catch (UncheckedIOException ex) {
			return false;
		}
	}

	private static String executable() {
		return (CHOSEN != null) ? CHOSEN : found();
	}

	private static String found() {
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
