package io.github.lockstarter.service;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.awaitility.Awaitility;

import io.github.lockstarter.testing.Python;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A running process of one of the example clients.
 */
final class Example implements AutoCloseable {

	static final Path DIRECTORY = Path.of("examples").toAbsolutePath();

	/** A directory with a link to Python. The example in Python finds it on the PATH. */
	private static final Path PYTHON = linked(Python.program());

	/**
	 * Starts an example. The name of the lock is percent-encoded, because this JVM may be
	 * unable to pass on characters that are not ASCII. SIGINT and SIGHUP are reset,
	 * because the shell that started Maven may have made them ignored.
	 */
	private static final String LAUNCHER = """
			import os, signal, sys, urllib.parse
			signal.signal(signal.SIGINT, signal.SIG_DFL)
			signal.signal(signal.SIGHUP, signal.SIG_DFL)
			os.execv(sys.argv[1], [sys.argv[1], urllib.parse.unquote_to_bytes(sys.argv[2])] + sys.argv[3:])
			""";

	private final Process process;

	private final Path output;

	private Example(Process process, Path output) {
		this.process = process;
		this.output = output;
	}

	private static Path linked(Path program) {
		try {
			Path directory = Files.createTempDirectory("python");
			Files.createSymbolicLink(directory.resolve("python3"), program);
			return directory;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Fails if a program that the examples need is not installed. */
	static void checkTools() {
		Map.of("curl", "curl", "python3", "python3", "node", "nodejs").forEach((tool, debianPackage) -> {
			try {
				new ProcessBuilder(tool, "--version").redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
			}
			catch (IOException ex) {
				throw new IllegalStateException(
						"These tests need %s on the PATH: install it (in Debian, %s)".formatted(tool, debianPackage),
						ex);
			}
		});
	}

	/** Starts an example that runs the command with the lock. */
	static Example start(String file, Map<String, String> environment, String lock, String... command) {
		List<String> all = new ArrayList<>(
				List.of(Python.program().toString(), "-c", LAUNCHER, DIRECTORY.resolve(file).toString(),
						URLEncoder.encode(lock, StandardCharsets.UTF_8).replace("+", "%20")));
		all.addAll(List.of(command));
		try {
			Path output = Files.createTempFile("example", ".log");
			ProcessBuilder builder = new ProcessBuilder(all).redirectErrorStream(true).redirectOutput(output.toFile());
			builder.environment().putAll(environment);
			builder.environment().merge("PATH", PYTHON.toString(), (path, first) -> first + File.pathSeparator + path);
			return new Example(builder.start(), output);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Waits until the example or its command has printed the text. */
	void await(String text) {
		Awaitility.await().atMost(1, TimeUnit.MINUTES).until(() -> output().contains(text) || !this.process.isAlive());
		assertThat(output()).contains(text);
	}

	/** Returns what the example and its command have printed. */
	String output() {
		try {
			return Files.readString(this.output);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Writes the text to the standard input of the command, and closes it. */
	void input(String text) {
		try (OutputStream input = this.process.getOutputStream()) {
			input.write(text.getBytes(StandardCharsets.UTF_8));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Returns the number of running child processes of the example. */
	long children() {
		return this.process.children().count();
	}

	void signal(String name) {
		try {
			new ProcessBuilder("sh", "-c", "kill -%s %d".formatted(name, this.process.pid())).start().onExit().join();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Waits until the example has exited, and returns its exit code. */
	int exitCode() {
		return this.process.onExit().orTimeout(1, TimeUnit.MINUTES).join().exitValue();
	}

	@Override
	public void close() {
		Stream.concat(this.process.descendants(), Stream.of(this.process.toHandle()))
			.toList()
			.forEach(ProcessHandle::destroyForcibly);
		try {
			Files.delete(this.output);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
