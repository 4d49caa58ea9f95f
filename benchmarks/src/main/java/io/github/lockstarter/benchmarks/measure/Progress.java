package io.github.lockstarter.benchmarks.measure;

import java.time.Duration;

/**
 * Reports the progress on the error output.
 */
public final class Progress {

	private static final long start = System.nanoTime();

	private Progress() {
	}

	/** Shows one line, with the time since the start. */
	public static void show(String format, Object... args) {
		long seconds = Duration.ofNanos(System.nanoTime() - start).toSeconds();
		System.err.printf("%2d:%02d %s%n", seconds / 60, seconds % 60, format.formatted(args));
	}

}
