package io.github.lockstarter.benchmarks.workload;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import org.HdrHistogram.Histogram;

import io.github.lockstarter.benchmarks.workload.Contention.Holding;

/**
 * The holdings of one lock during a period of time.
 *
 * @param holdings all holdings, in order
 * @param threads the number of threads that contended for it
 * @param begin the start of the period
 * @param end the end of the period
 */
record Holdings(List<Holding> holdings, int threads, long begin, long end) {

	Holdings {
		holdings = holdings.stream().sorted(Comparator.comparingLong(Holding::acquired)).toList();
		for (int i = 1; i < holdings.size(); i++) {
			if (holdings.get(i).acquired() - holdings.get(i - 1).released() < 0) {
				throw new IllegalStateException("Two held the lock at once");
			}
		}
	}

	static Holdings of(Collection<List<Holding>> parts, int threads, long begin, long end) {
		return new Holdings(parts.stream().flatMap(List::stream).toList(), threads, begin, end);
	}

	private List<Holding> inTime() {
		return this.holdings.stream().filter((holding) -> holding.acquired() - this.end < 0).toList();
	}

	/** Returns the number of grants per second. */
	double rate() {
		return inTime().size() / seconds();
	}

	private double seconds() {
		return (this.end - this.begin) / 1e9;
	}

	/**
	 * Returns a percentile of the wait times, in nanoseconds. Waits that were in progress
	 * at the end count completely.
	 */
	double waitTime(double percent) {
		Histogram waits = new Histogram(3);
		this.holdings.forEach((holding) -> waits.recordValue(holding.acquired() - holding.wanted()));
		return waits.getValueAtPercentile(percent);
	}

	/** Returns the wait time that one wait in a hundred exceeds, in nanoseconds. */
	double longWait() {
		return waitTime(99);
	}

	/** Returns the median time from a release to the next grant, in nanoseconds. */
	double gap() {
		List<Holding> holdings = inTime();
		long[] gaps = IntStream.range(1, holdings.size())
			.mapToLong((i) -> holdings.get(i).acquired() - holdings.get(i - 1).released())
			.sorted()
			.toArray();
		return (gaps.length > 0) ? gaps[gaps.length / 2] : Double.NaN;
	}

	/**
	 * Returns the share of the grants that went to another thread than the previous one.
	 */
	double moved() {
		return moves() / (double) Math.max(inTime().size() - 1, 1);
	}

	/**
	 * Returns the number of grants per second to another thread than the previous one.
	 */
	double moveRate() {
		return moves() / seconds();
	}

	private long moves() {
		List<Holding> holdings = inTime();
		return IntStream.range(1, holdings.size())
			.filter((i) -> holdings.get(i).thread() != holdings.get(i - 1).thread())
			.count();
	}

	/**
	 * Returns the ratio of the grants of the thread with the most to those of the thread
	 * with the fewest.
	 */
	double unfairness() {
		long[] served = LongStream.range(0, this.threads)
			.map((thread) -> inTime().stream().filter((holding) -> holding.thread() == thread).count())
			.sorted()
			.toArray();
		return (served[0] > 0) ? served[served.length - 1] / (double) served[0] : Double.POSITIVE_INFINITY;
	}

}
