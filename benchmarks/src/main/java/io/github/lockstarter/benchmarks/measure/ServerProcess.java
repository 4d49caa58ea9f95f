package io.github.lockstarter.benchmarks.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.awaitility.Awaitility;

import org.springframework.util.FileSystemUtils;

/**
 * A Spring Boot application with a web server, in a JVM of its own, as its users start
 * it. Its resources are read from outside, by means of Linux.
 */
public final class ServerProcess implements AutoCloseable {

	private static final Path BIN = Path.of(System.getProperty("java.home"), "bin");

	private static final Pattern STARTED = Pattern.compile("started on port (\\d+)");

	private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s+(\\d+) kB");

	/**
	 * The states of connections that are established, or closed only by the other side;
	 * in hexadecimal.
	 */
	private static final Set<String> OPEN = Set.of("01", "08");

	private final Path directory;

	private final Process process;

	private final int port;

	/**
	 * Starts a server, and waits until it accepts requests.
	 * @param command the arguments of {@code java}; the application must log its port
	 */
	public ServerProcess(String... command) throws IOException {
		this.directory = Files.createTempDirectory("server-process");
		Path output = this.directory.resolve("output.log");
		this.process = new ProcessBuilder(
				Stream.concat(Stream.of(BIN.resolve("java").toString()), Stream.of(command)).toList())
			.redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start();
		Runtime.getRuntime().addShutdownHook(new Thread(this::close));
		Awaitility.await()
			.atMost(Duration.ofMinutes(1))
			.until(() -> !this.process.isAlive() || STARTED.matcher(Files.readString(output)).find());
		String text = Files.readString(output);
		Matcher started = STARTED.matcher(text);
		if (!started.find()) {
			throw new IllegalStateException("The server did not start: " + text);
		}
		this.port = Integer.parseInt(started.group(1));
	}

	/** Returns the port for requests. */
	public int port() {
		return this.port;
	}

	/** Returns the processor time that it has used, in seconds. */
	public double processorSeconds() {
		return this.process.info().totalCpuDuration().orElseThrow().toNanos() / 1e9;
	}

	/** Waits until the server is almost idle. */
	public void awaitQuiet() {
		double[] last = { processorSeconds() };
		Duration pause = Duration.ofMillis(500);
		Awaitility.await().atMost(Duration.ofSeconds(30)).pollDelay(pause).pollInterval(pause).until(() -> {
			double before = last[0];
			last[0] = processorSeconds();
			return last[0] - before < 0.05;
		});
	}

	/** Returns the number of threads of the operating system. */
	public int threads() throws IOException {
		try (Stream<Path> threads = Files.list(about("task"))) {
			return (int) threads.count();
		}
	}

	/** Returns the resident memory in bytes, including garbage. */
	public long residentBytes() throws IOException {
		Matcher resident = RESIDENT.matcher(Files.readString(about("status")));
		if (!resident.find()) {
			throw new IllegalStateException("The process has ended");
		}
		return 1024 * Long.parseLong(resident.group(1));
	}

	/** Returns the size of all live objects in bytes, after a garbage collection. */
	public long heapBytes() throws IOException {
		Process histogram = new ProcessBuilder(BIN.resolve("jcmd").toString(), Long.toString(this.process.pid()),
				"GC.class_histogram")
			.redirectErrorStream(true)
			.start();
		String text = new String(histogram.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		String[] total = text.substring(text.lastIndexOf("Total")).strip().split("\\s+");
		return Long.parseLong(total[2]);
	}

	/** Returns the number of connections to its port that it has not closed. */
	public int connections() throws IOException {
		String end = ":%04X".formatted(this.port);
		int count = 0;
		for (String table : new String[] { "net/tcp", "net/tcp6" }) {
			try (Stream<String> lines = Files.lines(about(table))) {
				count += (int) lines.map((line) -> line.strip().split("\\s+"))
					.filter((columns) -> columns[1].endsWith(end) && OPEN.contains(columns[3]))
					.count();
			}
		}
		return count;
	}

	private Path about(String what) {
		return Path.of("/proc", Long.toString(this.process.pid()), what);
	}

	/** Ends the server, which also ends with this JVM. */
	@Override
	public synchronized void close() {
		this.process.destroy();
		try {
			if (!this.process.waitFor(10, TimeUnit.SECONDS)) {
				this.process.destroyForcibly();
			}
			FileSystemUtils.deleteRecursively(this.directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			this.process.destroyForcibly();
			Thread.currentThread().interrupt();
		}
	}

}
