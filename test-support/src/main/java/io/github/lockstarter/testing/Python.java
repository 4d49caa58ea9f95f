package io.github.lockstarter.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import org.springframework.util.Assert;

/**
 * The Python of this machine.
 */
public final class Python {

	/**
	 * Found once, because {@code python3} may be the script of a version manager, which
	 * takes ten times as long to start as the program.
	 */
	private static final Path PROGRAM = find();

	private Python() {
	}

	/** Returns the program that {@code python3} runs. */
	public static Path program() {
		return PROGRAM;
	}

	private static Path find() {
		try {
			Process process = new ProcessBuilder("python3", "-c", "import sys; print(sys.executable)")
				.redirectErrorStream(true)
				.start();
			String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
			Assert.state(process.onExit().join().exitValue() == 0, () -> "python3 does not run: " + output);
			return Path.of(output);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("These tests need python3 on the PATH: install it", ex);
		}
	}

}
