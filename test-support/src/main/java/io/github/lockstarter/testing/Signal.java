package io.github.lockstarter.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

import org.awaitility.Awaitility;

/**
 * The signals that pause and resume a process of this machine.
 */
enum Signal {

	/** Pauses all threads of a process; its connections stay open. */
	STOP {
		@Override
		void send(ProcessHandle process) {
			super.send(process);
			// Each thread may run for a moment longer, and end.
			if (Files.isDirectory(Path.of("/proc", "self"))) {
				Awaitility.await()
					.pollDelay(Duration.ZERO)
					.pollInterval(Duration.ofMillis(1))
					.ignoreExceptions()
					.until(() -> isFrozen(Path.of("/proc", Long.toString(process.pid()), "task")));
			}
		}
	},

	CONT;

	void send(ProcessHandle process) {
		try {
			new ProcessBuilder("sh", "-c", "kill -%s %d".formatted(this, process.pid())).start().onExit().join();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static boolean isFrozen(Path threads) throws IOException {
		try (Stream<Path> all = Files.list(threads)) {
			for (Path thread : all.toList()) {
				if (!Files.readString(thread.resolve("stat")).contains(") T ")) {
					return false;
				}
			}
			return true;
		}
	}

}
