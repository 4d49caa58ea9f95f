package io.github.lockstarter.faults.history;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a process did and saw, as {@code docs/history/check.py} reads it. A line is in the
 * file before the process goes on, so that a {@code kill -9} loses none.
 */
final class History implements AutoCloseable {

	private final FileOutputStream file;

	History(Path file) {
		try {
			Files.createDirectories(file.toAbsolutePath().getParent());
			this.file = new FileOutputStream(file.toFile());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Adds what happened between the instant and now. */
	void add(long before, Object... words) {
		long after = System.nanoTime();
		String line = Stream.concat(Stream.of(before, after), Stream.of(words))
			.map(Object::toString)
			.collect(Collectors.joining(" ", "", "\n"));
		write(line.getBytes(StandardCharsets.UTF_8));
	}

	/** Writes the line whole: two threads must not mix theirs. */
	private synchronized void write(byte[] line) {
		try {
			this.file.write(line);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public void close() {
		try {
			this.file.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
