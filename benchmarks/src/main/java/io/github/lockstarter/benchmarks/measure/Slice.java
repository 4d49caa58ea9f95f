package io.github.lockstarter.benchmarks.measure;

import org.HdrHistogram.Histogram;

/**
 * What came of a while of {@link Load}.
 *
 * @param latencies how long each piece of work took, in nanoseconds
 * @param seconds how long it went on
 * @param processorSeconds the processor time that this process used meanwhile, which the
 * JDK tells in steps of 10 ms
 */
public record Slice(Histogram latencies, double seconds, double processorSeconds) {

	/**
	 * Returns the time within which this share of the work was done, in nanoseconds; not
	 * a number if none was.
	 */
	public double percentile(double percent) {
		return (this.latencies.getTotalCount() > 0) ? this.latencies.getValueAtPercentile(percent) : Double.NaN;
	}

	/** Returns what came of this while and another. */
	public Slice plus(Slice other) {
		Histogram all = this.latencies.copy();
		all.add(other.latencies);
		return new Slice(all, this.seconds + other.seconds, this.processorSeconds + other.processorSeconds);
	}

	/** Returns how often the work was done per second. */
	public double rate() {
		return this.latencies.getTotalCount() / this.seconds;
	}

	/** Returns the processor time for each piece of work, in seconds. */
	public double processorTime() {
		return this.processorSeconds / this.latencies.getTotalCount();
	}

}
