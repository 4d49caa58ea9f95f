package io.github.lockstarter.store;

import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;

/**
 * A time limit for a search for stored results. A store checks it before each part of a
 * search, so that a search stops when its caller no longer waits.
 *
 * @param end the end of the time, as {@link System#nanoTime()}
 */
public record SearchLimit(long end) {

	/** The longest time for a search. */
	public static final Duration LONGEST = Duration.ofSeconds(30);

	/** Returns a limit for a search that starts now. */
	public static SearchLimit start() {
		return new SearchLimit(System.nanoTime() + LONGEST.toNanos());
	}

	/**
	 * Throws if the time is over.
	 * @throws CompletionException with a {@link TimeoutException}
	 */
	public void check() {
		if (this.end - System.nanoTime() < 0) {
			throw new CompletionException(
					new TimeoutException("The search has taken longer than %d s".formatted(LONGEST.toSeconds())));
		}
	}

}
