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
					.atMost(Duration.ofMinutes(1))
					.pollDelay(Duration.ZERO)
					.pollInterval(Duration.ofMillis(1))
					.until(() -> isFrozen(process));
			}
		}
	},

	CONT;

	void send(ProcessHandle process) {
		Shell.INSTANCE.run("kill -%s %d".formatted(this, process.pid()));
	}

	/** A process that has ended does not run either. */
	private static boolean isFrozen(ProcessHandle process) {
		try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(process.pid()), "task"))) {
			return threads.noneMatch(Signal::runs);
		}
		catch (IOException | UncheckedIOException ex) {
			return !process.isAlive();
		}
	}

	/** Returns whether the thread is neither stopped nor a zombie. */
	private static boolean runs(Path thread) {
		try {
			String state = Files.readString(thread.resolve("stat"));
			return !state.contains(") T ") && !state.contains(") Z ");
		}
		catch (IOException ex) {
			return Files.exists(thread);
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
