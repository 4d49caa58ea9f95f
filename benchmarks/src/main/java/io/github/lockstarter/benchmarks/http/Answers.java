package io.github.lockstarter.benchmarks.http;

import io.github.lockstarter.benchmarks.measure.Slice;

/**
 * What came of a while of {@link HttpLoad}.
 *
 * @param slice how long each answer took
 * @param ran how many answers in that time were not a refusal
 * @param unanswered how many requests the server never answered
 */
public record Answers(Slice slice, long ran, long unanswered) {

	/** Returns which share of the answers was not a refusal, in percent. */
	public double ranPercent() {
		return 100.0 * this.ran / this.slice.latencies().getTotalCount();
	}

	/** Returns how many requests were not refused in a second. */
	public double ranPerSecond() {
		return this.ran / this.slice.seconds();
	}

}
