package io.github.lockstarter.benchmarks.http;

import io.github.lockstarter.benchmarks.measure.Slice;

/**
 * The results of {@link HttpLoad} for a period of time.
 *
 * @param slice the latencies of the answers
 * @param ran the number of answers in that time that were not refusals
 * @param unanswered the number of requests that the server never answered
 */
public record Answers(Slice slice, long ran, long unanswered) {

	/** Returns the share of the answers that were not refusals, in percent. */
	public double ranPercent() {
		return 100.0 * this.ran / this.slice.latencies().getTotalCount();
	}

	/** Returns the number of requests per second that were not refused. */
	public double ranPerSecond() {
		return this.ran / this.slice.seconds();
	}

}
