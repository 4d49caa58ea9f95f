package io.github.lockstarter.benchmarks.workload;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

import io.github.lockstarter.benchmarks.candidate.Candidate;
import io.github.lockstarter.benchmarks.candidate.LockClient;
import io.github.lockstarter.benchmarks.measure.Effort;
import io.github.lockstarter.benchmarks.measure.Load;
import io.github.lockstarter.benchmarks.measure.RedisMonitor;
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
		run.report()
			.section("Uncontended",
					"""
							Acquire and release of a free lock, with another key each time. Ratios to the floor in the same round: the median
							over the rounds, and the quartiles in brackets. Less latency and less processor time are better; a higher rate is
							better. Processor times are summed over five rounds. "Requests" is the number of requests per cycle that reached
							Redis, counted by `MONITOR` afterwards. Where the time goes: ADR [13](adr/0013-requests-put-together.md) and
							[14](adr/0014-a-refusal-is-a-script.md).""");
		Effort effort = run.effort(1, 20, Duration.ofMillis(200));
		try (Run.Clients clients = run.connect()) {
			// Many threads take other paths through the code, and what was compiled for
			// them is not what one thread needs: it comes last, as it is measured first.
			Effort warmUp = run.effort(0, 1, Duration.ofSeconds(2));
			for (int threads : new int[] { 64, 8, 1 }) {
				Rounds.run("uncontended, to warm up with " + title(threads), warmUp, Run.CANDIDATES,
						(candidate) -> measure(run, clients.of(candidate), threads, warmUp.slice()));
			}
			for (int threads : new int[] { 1, 8, 64 }) {
				Rounds<Candidate, Cycles> rounds = Rounds.run("uncontended, " + title(threads), effort, Run.CANDIDATES,
						(candidate) -> measure(run, clients.of(candidate), threads, effort.slice()));
				Map<Candidate, Double> requests = new EnumMap<>(Candidate.class);
				for (Candidate candidate : Run.CANDIDATES) {
					requests.put(candidate, requests(run, clients.of(candidate), threads));
				}
				report(run.report(), threads, rounds, requests);
			}
		}
	}

	private static String title(int threads) {
		return (threads == 1) ? "1 thread" : threads + " threads";
	}

	/** Counts the requests of each cycle. */
	private static double requests(Run run, LockClient client, int threads) throws Exception {
		LongAdder cycles = new LongAdder();
		RedisMonitor.Requests sent = RedisMonitor.count(run.redis(),
				() -> Load.run(threads, Duration.ofMillis(100), (thread) -> {
					Keys keys = new Keys(thread);
					return () -> {
						client.acquireFree(keys.next()).run();
						cycles.increment();
					};
				}));
		return sent.requests() / cycles.doubleValue();
	}

	private static Cycles measure(Run run, LockClient client, int threads, Duration duration) throws Exception {
		double before = run.server().processorSeconds();
		Slice slice = Load.run(threads, duration, (thread) -> {
			Keys keys = new Keys(thread);
			return () -> client.acquireFree(keys.next()).run();
		});
		return new Cycles(slice, run.server().processorSeconds() - before);
	}

	private static void report(Report report, int threads, Rounds<Candidate, Cycles> rounds,
			Map<Candidate, Double> requests) {
		Table table = new Table("", "p50", "p99", "rate", "processor time", "processor time of Redis", "requests");
		Rounds<Candidate, Cycles> together = rounds.together(5, Cycles::plus);
		for (Candidate candidate : Run.CANDIDATES) {
			table.row(candidate, rounds.ratio(candidate, Candidate.FLOOR, (cycles) -> cycles.slice.percentile(50)),
					rounds.ratio(candidate, Candidate.FLOOR, (cycles) -> cycles.slice.percentile(99)),
					rounds.ratio(candidate, Candidate.FLOOR, (cycles) -> cycles.slice.rate()),
					together.ratio(candidate, Candidate.FLOOR, (cycles) -> cycles.slice.processorTime()),
					together.ratio(candidate, Candidate.FLOOR, Cycles::serverTime),
					Spread.text(Objects.requireNonNull(requests.get(candidate))));
		}
		Spread floor = rounds.of(Candidate.FLOOR, (cycles) -> cycles.slice.percentile(50) / 1000);
		report.table("**%s.** The floor's p50 was %s µs.".formatted(title(threads), Spread.text(floor.median())),
				table);
		if (threads == 1) {
			report.atMost("uncontended cycle, 1 thread: latency (p50) / floor", 1.10,
					rounds.ratio(Candidate.THIS, Candidate.FLOOR, (cycles) -> cycles.slice.percentile(50)));
			report.atMost("uncontended cycle, 1 thread: processor time / floor", 1.10,
					together.ratio(Candidate.THIS, Candidate.FLOOR, (cycles) -> cycles.slice.processorTime()));
		}
		else {
			report.atLeast("uncontended cycle, %s: rate / floor".formatted(title(threads)), (threads == 8) ? 1 : 1.5,
					rounds.ratio(Candidate.THIS, Candidate.FLOOR, (cycles) -> cycles.slice.rate()));
		}
	}

	/**
	 * What a while of cycles took.
	 *
	 * @param slice in this process
	 * @param serverSeconds the processor time that Redis used meanwhile
	 */
	private record Cycles(Slice slice, double serverSeconds) {

		Cycles plus(Cycles other) {
			return new Cycles(this.slice.plus(other.slice), this.serverSeconds + other.serverSeconds);
		}

		double serverTime() {
			return this.serverSeconds / this.slice.latencies().getTotalCount();
		}

	}

}
