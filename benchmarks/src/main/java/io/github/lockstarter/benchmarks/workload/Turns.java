package io.github.lockstarter.benchmarks.workload;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import org.HdrHistogram.Histogram;

import io.github.lockstarter.benchmarks.workload.Contention.Turn;

/**
 * How one lock went from hand to hand for a while.
 *
 * @param turns all holdings, in order
 * @param threads how many threads wanted it
 * @param begin when they began
 * @param end when they ended
 */
record Turns(List<Turn> turns, int threads, long begin, long end) {

	Turns {
		turns = turns.stream().sorted(Comparator.comparingLong(Turn::acquired)).toList();
		for (int i = 1; i < turns.size(); i++) {
			if (turns.get(i).acquired() - turns.get(i - 1).released() < 0) {
				throw new IllegalStateException("Two held the lock at once");
			}
		}
	}

	static Turns of(Collection<List<Turn>> parts, int threads, long begin, long end) {
		return new Turns(parts.stream().flatMap(List::stream).toList(), threads, begin, end);
	}

	private List<Turn> inTime() {
		return this.turns.stream().filter((turn) -> turn.acquired() - this.end < 0).toList();
	}

	/** Returns how often the lock was granted per second. */
	double rate() {
		return inTime().size() / ((this.end - this.begin) / 1e9);
	}

	/**
	 * Returns a wait, in nanoseconds; those that were under way at the end count whole.
	 */
	double waitTime(double percent) {
		Histogram waits = new Histogram(3);
		this.turns.forEach((turn) -> waits.recordValue(turn.acquired() - turn.wanted()));
		return waits.getValueAtPercentile(percent);
	}

	/** Returns the usual time from a release to the next grant, in nanoseconds. */
	double gap() {
		List<Turn> turns = inTime();
		long[] gaps = IntStream.range(1, turns.size())
			.mapToLong((i) -> turns.get(i).acquired() - turns.get(i - 1).released())
			.sorted()
			.toArray();
		return (gaps.length > 0) ? gaps[gaps.length / 2] : Double.NaN;
	}

	/** Returns which share of the grants went to another thread than the one before. */
	double moved() {
		List<Turn> turns = inTime();
		return IntStream.range(1, turns.size())
			.filter((i) -> turns.get(i).thread() != turns.get(i - 1).thread())
			.count() / (double) Math.max(turns.size() - 1, 1);
	}

	/** Returns how much more often the luckiest got the lock than the unluckiest. */
	double unfairness() {
		long[] served = LongStream.range(0, this.threads)
			.map((thread) -> inTime().stream().filter((turn) -> turn.thread() == thread).count())
			.sorted()
			.toArray();
		return (served[0] > 0) ? served[served.length - 1] / (double) served[0] : Double.POSITIVE_INFINITY;
	}

}
