package io.github.lockstarter.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A memcached server process on this machine, with its own port and injectable faults.
 * Records the commands.
 */
public final class LocalMemcached extends LocalServer {

	private final int port = reservePort();

	private final List<String> command;

	private LocalMemcached(String... settings) {
		this.command = Stream
			.concat(Stream.of("memcached", "-u", "nobody", "-l", "127.0.0.1", "-p", Integer.toString(this.port), "-U",
					"0", "-vv"), Stream.of(settings))
			.toList();
	}

	/** Starts a server with more options. */
	public static LocalMemcached started(String... settings) {
		LocalMemcached memcached = new LocalMemcached(settings);
		memcached.start();
		return memcached;
	}

	/** Returns the address as {@code host:port}. */
	public String address() {
		return "127.0.0.1:" + this.port;
	}

	/** Starts the server empty, and waits until it answers. */
	public void start() {
		start(this.command);
		awaitAnswer(() -> assertThat(ask("version").get(0)).startsWith("VERSION"));
	}

	/** Returns the recorded commands, without those of this class. */
	public List<String> commands() {
		try (Stream<String> lines = Files.lines(output(), StandardCharsets.ISO_8859_1)) {
			return lines.filter((line) -> line.matches("<\\d+ (add|gets?|cas|set|delete) .*"))
				.map((line) -> line.substring(line.indexOf(' ') + 1))
				.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Returns the number of items that have not expired. */
	public long items() {
		return items("");
	}

	/** Returns the number of items whose key has the prefix. */
	public long items(String begin) {
		return keys().filter((key) -> key.startsWith(begin)).count();
	}

	/** Returns whether the item exists, without marking it as used. */
	public boolean hasItem(String key) {
		return keys().anyMatch(key::equals);
	}

	private Stream<String> keys() {
		return ask("lru_crawler metadump hash").stream()
			.filter((line) -> line.startsWith("key="))
			.map((line) -> URLDecoder.decode(line.substring("key=".length(), line.indexOf(' ')),
					StandardCharsets.US_ASCII));
	}

	/**
	 * Sends a command and returns the lines of the answer, up to the one that ends it.
	 */
	public List<String> ask(String command) {
		List<String> lines = new ArrayList<>();
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), this.port)) {
			socket.setSoTimeout(10_000);
			socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.US_ASCII));
			BufferedReader answer = new BufferedReader(
					new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
			do {
				lines.add(String.valueOf(answer.readLine()));
			}
			while (!lines.get(lines.size() - 1).matches("END|OK|STORED|VERSION.*|.*ERROR.*|null"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return lines;
	}

	/** Returns the number of connections besides this one. */
	public int connections() {
		return ask("stats").stream()
			.filter((line) -> line.startsWith("STAT curr_connections "))
			.mapToInt((line) -> Integer.parseInt(line.substring(line.lastIndexOf(' ') + 1)))
			.sum() - 1;
	}

}
