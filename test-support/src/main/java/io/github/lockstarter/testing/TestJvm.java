package io.github.lockstarter.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A separate Java process, by default with the class path of this one, which can be
 * killed. Tests can wait for its output.
 */
public final class TestJvm implements AutoCloseable {

	/** Nearly halves the processor time of a start. */
	static final List<String> WITHOUT_VERIFICATION = List.of("-XX:+UnlockDiagnosticVMOptions",
			"-XX:-BytecodeVerificationRemote");

	private final List<String> output = new CopyOnWriteArrayList<>();

	private final Process process;

	/** Completes with the end of the output. */
	private final CompletableFuture<Void> end;

	private TestJvm(Process process) {
		this.process = process;
		this.end = CompletableFuture.runAsync(this::read, (task) -> {
			Thread reader = new Thread(task, "output-of-" + process.pid());
			reader.setDaemon(true);
			reader.start();
		});
	}

	/** Starts the main class. */
	public static TestJvm start(Class<?> main, Object... args) {
		return start(List.of(), main, args);
	}

	/** Starts the main class in a JVM with these options. */
	public static TestJvm start(List<String> options, Class<?> main, Object... args) {
		String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
		List<String> all = new ArrayList<>(WITHOUT_VERIFICATION);
		all.addAll(List.of("-cp", classPath));
		all.addAll(options);
		return start(all, main.getName(), args);
	}

	/**
	 * Starts the main class with the class path that the options name. The JVM verifies
	 * the bytecode, because only verification notices some missing libraries.
	 */
	public static TestJvm start(List<String> options, String main, Object... args) {
		String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
		List<String> command = new ArrayList<>(
				List.of(java, "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
		command.addAll(options);
		command.add(main);
		Stream.of(args).map(Object::toString).forEach(command::add);
		try {
			Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
			Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
			return new TestJvm(process);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Waits until a line begins with the text, and returns the rest of the line. Fails if
	 * the process has ended.
	 */
	public String await(String begin) {
		try {
			Awaitility.await().atMost(5, TimeUnit.MINUTES).until(() -> this.end.isDone() || line(begin).isPresent());
		}
		catch (ConditionTimeoutException ex) {
			// The output tells more.
		}
		assertThat(this.output).as("the output within 5 minutes").anyMatch((line) -> line.startsWith(begin));
		return line(begin).orElseThrow();
	}

	private Optional<String> line(String begin) {
		return this.output.stream()
			.filter((line) -> line.startsWith(begin))
			.map((line) -> line.substring(begin.length()))
			.findFirst();
	}

	/** Kills the process, as {@code kill -9} does. */
	public void kill() {
		this.process.destroyForcibly();
	}

	/** Freezes the process; its connections stay open. */
	public void freeze() {
		Signal.STOP.send(this.process.toHandle());
	}

	public void thaw() {
		Signal.CONT.send(this.process.toHandle());
	}

	/** Writes a line to its standard input. */
	public void tell(String line) {
		try {
			OutputStream input = this.process.getOutputStream();
			input.write((line + "\n").getBytes(StandardCharsets.UTF_8));
			input.flush();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Terminates the process, as {@code kill} does. */
	public void terminate() {
		this.process.destroy();
	}

	/** Waits until the process has ended, and returns its exit code. */
	public int awaitEnd() {
		return this.process.onExit().orTimeout(5, TimeUnit.MINUTES).join().exitValue();
	}

	public long pid() {
		return this.process.pid();
	}

	/** Returns its output. */
	public List<String> output() {
		return this.output;
	}

	@Override
	public void close() {
		kill();
	}

	private void read() {
		try (BufferedReader reader = this.process.inputReader(StandardCharsets.UTF_8)) {
			reader.lines().forEach(this.output::add);
		}
		catch (IOException | UncheckedIOException ex) {
			this.output.add(ex.toString());
		}
	}

}
