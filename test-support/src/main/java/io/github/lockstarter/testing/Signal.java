package io.github.lockstarter.testing;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

import org.awaitility.Awaitility;

import org.springframework.util.Assert;

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
		Shell.INSTANCE.run("kill -%s %d".formatted(this, process.pid()));
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

	/** One process for all signals, because some tests send hundreds of them. */
	private static final class Shell {

		static final Shell INSTANCE = new Shell();

		private final BufferedWriter input;

		private final BufferedReader output;

		private Shell() {
			try {
				Process process = new ProcessBuilder("sh").redirectError(ProcessBuilder.Redirect.DISCARD).start();
				this.input = process.outputWriter();
				this.output = process.inputReader();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

		/** Runs the command and waits until it has ended. */
		synchronized void run(String command) {
			try {
				this.input.write(command + "; echo\n");
				this.input.flush();
				Assert.state(this.output.readLine() != null, "the shell has ended");
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
