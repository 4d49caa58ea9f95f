package io.github.lockstarter.benchmarks.measure;

import org.HdrHistogram.Histogram;

/**
 * The results of {@link Load} for a period of time.
 *
 * @param latencies the times of the pieces of work, in nanoseconds
 * @param seconds the length of the period
 * @param processorSeconds the processor time that this process used in the period; the
 * JDK measures it in steps of 10 ms
 */
public record Slice(Histogram latencies, double seconds, double processorSeconds) {

	/**
	 * Returns the time within which this share of the work was done, in nanoseconds; not
	 * a number if none was.
	 */
	public double percentile(double percent) {
		return (this.latencies.getTotalCount() > 0) ? this.latencies.getValueAtPercentile(percent) : Double.NaN;
	}

	/** Returns the results of this period and another one together. */
	public Slice plus(Slice other) {
		Histogram all = this.latencies.copy();
		all.add(other.latencies);
		return new Slice(all, this.seconds + other.seconds, this.processorSeconds + other.processorSeconds);
	}

	/** Returns the number of completed pieces of work per second. */
	public double rate() {
		return this.latencies.getTotalCount() / this.seconds;
	}

	/** Returns the processor time for each piece of work, in seconds. */
	public double processorTime() {
		return this.processorSeconds / this.latencies.getTotalCount();
	}

}
