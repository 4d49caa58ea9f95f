package io.github.lockstarter.faults.history;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.github.lockstarter.testing.Python;

/**
 * The result of the independent checker for the histories in a directory.
 *
 * @param exitCode 0 if it found no violation
 * @param output what it printed
 */
record Checker(int exitCode, String output) {

	private static final Path PROGRAM = Path.of("..", "docs", "contributing", "history", "check.py");

	static Checker check(Path directory) {
		List<String> command = new ArrayList<>(List.of(Python.program().toString(), PROGRAM.toString()));
		try (Stream<Path> files = Files.list(directory)) {
			files.filter((file) -> file.toString().endsWith(".log")).sorted().map(Path::toString).forEach(command::add);
			Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
			String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			return new Checker(process.onExit().join().exitValue(), output);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
