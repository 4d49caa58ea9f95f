package io.github.lockstarter.faults.history;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The last grant of each key, read from the history of a process while it is being
 * written.
 */
final class Progress {

	private final Path file;

	private final Map<String, Long> granted = new HashMap<>();

	private long offset;

	Progress(Path file) {
		this.file = file;
	}

	/** Reads new lines, and returns the last grant of each key. */
	Map<String, Long> read() {
		try (RandomAccessFile input = new RandomAccessFile(this.file.toFile(), "r")) {
			byte[] bytes = new byte[(int) (input.length() - this.offset)];
			input.seek(this.offset);
			input.readFully(bytes);
			String text = new String(bytes, StandardCharsets.UTF_8);
			String lines = text.substring(0, text.lastIndexOf('\n') + 1);
			this.offset += lines.length();
			lines.lines()
				.map((line) -> line.split(" "))
				.filter((words) -> words[2].equals("granted"))
				.forEach(this::note);
			return this.granted;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void note(String[] words) {
		this.granted.put(words[4], Long.parseLong(words[1]));
	}

}
