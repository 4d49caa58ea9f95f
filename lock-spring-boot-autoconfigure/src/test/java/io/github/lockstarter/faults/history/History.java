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
 * The actions and observations of a process, in the format of {@code
 * docs/contributing/history/check.py}. A line is in the file before the process
 * continues, so that {@code kill -9} loses none.
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

	/** Adds an event between the instant and now. */
	void add(long before, Object... words) {
		long after = System.nanoTime();
		String line = Stream.concat(Stream.of(before, after), Stream.of(words))
			.map(Object::toString)
			.collect(Collectors.joining(" ", "", "\n"));
		write(line.getBytes(StandardCharsets.UTF_8));
	}

	/** Writes the line atomically, because several threads write. */
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
