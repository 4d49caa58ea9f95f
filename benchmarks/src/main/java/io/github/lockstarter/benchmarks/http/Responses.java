package io.github.lockstarter.benchmarks.http;

import io.github.lockstarter.benchmarks.measure.Slice;

/**
 * The results of {@link HttpLoad} for a period of time.
 *
 * @param slice the latencies of the responses
 * @param ran the number of responses in that time that were not rejections
 * @param withoutResponse the number of requests that never got a response
 */
public record Responses(Slice slice, long ran, long withoutResponse) {

	/** Returns the share of the responses that were not rejections, in percent. */
	public double ranPercent() {
		return 100.0 * this.ran / this.slice.latencies().getTotalCount();
	}

	/** Returns the number of requests per second that were not rejected. */
	public double ranPerSecond() {
		return this.ran / this.slice.seconds();
	}

}
