package io.github.lockstarter.benchmarks.measure;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.lockstarter.benchmarks.candidate.RedisAddress;

/**
 * Counts the commands that reach Redis exactly, with {@code MONITOR} and without
 * {@code PING}. It slows Redis down, so that times must not be measured in the meantime.
 */
public final class RedisMonitor {

	private static final String END = "end-of-monitoring";

	private RedisMonitor() {
	}

	/**
	 * Returns the counted commands.
	 * @param redis the server, which must not have other users in the meantime
	 */
	public static Commands count(RedisAddress redis, LockServer.Sender sender) throws Exception {
		try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), redis.port());
				Socket other = new Socket(InetAddress.getLoopbackAddress(), redis.port())) {
			BufferedReader lines = new BufferedReader(
					new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
			write(socket, "MONITOR");
			lines.readLine();
			CompletableFuture<Commands> counted = new CompletableFuture<>();
			Thread counter = new Thread(() -> count(lines, counted), "redis-monitor");
			counter.setDaemon(true);
			counter.start();
			sender.send();
			write(other, "ECHO " + END);
			return counted.get(1, TimeUnit.MINUTES);
		}
	}

	private static void count(BufferedReader lines, CompletableFuture<Commands> counted) {
		try {
			int sent = 0;
			int executed = 0;
			for (String line = lines.readLine(); !line.contains(END); line = lines.readLine()) {
				if (line.endsWith("\"PING\"")) {
					// Some clients check idle connections.
					continue;
				}
				// Commands of a script are marked.
				boolean inScript = line.contains(" lua] ");
				executed++;
				sent += inScript ? 0 : 1;
			}
			counted.complete(new Commands(sent, executed));
		}
		catch (IOException | RuntimeException ex) {
			counted.completeExceptionally(ex);
		}
	}

	private static void write(Socket socket, String command) throws IOException {
		socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.US_ASCII));
	}

	/**
	 * The counted commands.
	 *
	 * @param sent the number of commands that were sent
	 * @param executed the number of commands, including those of scripts
	 */
	public record Commands(int sent, int executed) {

	}

}
