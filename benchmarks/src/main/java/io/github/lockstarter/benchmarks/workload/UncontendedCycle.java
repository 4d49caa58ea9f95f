package io.github.lockstarter.benchmarks.workload;

import java.time.Duration;

import io.github.lockstarter.benchmarks.candidate.Candidate;
import io.github.lockstarter.benchmarks.candidate.LockClient;
import io.github.lockstarter.benchmarks.measure.Effort;
import io.github.lockstarter.benchmarks.measure.Load;
import io.github.lockstarter.benchmarks.measure.Rounds;
import io.github.lockstarter.benchmarks.measure.Slice;
import io.github.lockstarter.benchmarks.measure.Spread;
import io.github.lockstarter.benchmarks.measure.Table;

/**
 * Takes and releases locks that nobody else wants.
 */
public final class UncontendedCycle implements Workload {

	@Override
	public void run(Run run) throws Exception {
		run.report().section("Uncontended", """
				Acquire and release, each time another key, so that nobody waits. Ratios to the floor in the same round:
				the median over the rounds, and the quartiles in brackets. Latency, processor time: less is better;
				rate: more is better.""");
		Effort effort = run.effort().withSlice(run.effort().slice().dividedBy(3));
		try (Run.Clients clients = run.connect(Run.CANDIDATES)) {
			for (int threads : new int[] { 1, 8, 64 }) {
				Rounds<Candidate, Slice> rounds = Rounds.run("uncontended, " + threads + " threads", effort,
						Run.CANDIDATES, (candidate) -> measure(clients.of(candidate), threads, effort.slice()));
				report(run.report(), threads, rounds);
			}
		}
	}

	private static Slice measure(LockClient client, int threads, Duration duration) throws Exception {
		return Load.run(threads, duration, (thread) -> {
			Keys keys = new Keys(thread);
			return () -> client.acquire(keys.next()).run();
		});
	}

	private static void report(Report report, int threads, Rounds<Candidate, Slice> rounds) {
		Table table = new Table("", "p50", "p99", "rate", "processor time");
		for (Candidate candidate : Run.CANDIDATES) {
			table.row(candidate, rounds.ratio(candidate, Candidate.FLOOR, (slice) -> slice.percentile(50)),
					rounds.ratio(candidate, Candidate.FLOOR, (slice) -> slice.percentile(99)),
					rounds.ratio(candidate, Candidate.FLOOR, Slice::rate),
					rounds.ratio(candidate, Candidate.FLOOR, Slice::processorTime));
		}
		Spread floor = rounds.of(Candidate.FLOOR, (slice) -> slice.percentile(50) / 1000);
		report.table("**%s.** The floor's p50 was %s µs.".formatted((threads == 1) ? "1 thread" : threads + " threads",
				Spread.text(floor.median())), table);
		if (threads == 1) {
			report.atMost("uncontended cycle, 1 thread: latency (p50) / floor", 1.10,
					rounds.ratio(Candidate.THIS, Candidate.FLOOR, (slice) -> slice.percentile(50)).median());
			report.atMost("uncontended cycle, 1 thread: processor time / floor", 1.15,
					rounds.ratio(Candidate.THIS, Candidate.FLOOR, Slice::processorTime).median());
		}
		if (threads == 64) {
			report.atLeast("uncontended cycle, 64 threads: rate / floor", 1.3,
					rounds.ratio(Candidate.THIS, Candidate.FLOOR, Slice::rate).median());
		}
	}

}
