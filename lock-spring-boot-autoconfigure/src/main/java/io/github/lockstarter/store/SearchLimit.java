package io.github.lockstarter.store;

import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;

/**
 * The time that a search for stored results may take. A store checks it before each part
 * of a search, so that no search goes on when nobody waits for it any more.
 *
 * @param end when the time is over, as {@link System#nanoTime()}
 */
public record SearchLimit(long end) {

	/** How long a search may take. */
	public static final Duration LONGEST = Duration.ofSeconds(30);

	/** Returns a limit for a search that begins now. */
	public static SearchLimit start() {
		return new SearchLimit(System.nanoTime() + LONGEST.toNanos());
	}

	/**
	 * Ends the search if the time is over.
	 * @throws CompletionException with a {@link TimeoutException}
	 */
	public void check() {
		if (this.end - System.nanoTime() < 0) {
			throw new CompletionException(new TimeoutException("The search has taken longer than " + LONGEST));
		}
	}

}
