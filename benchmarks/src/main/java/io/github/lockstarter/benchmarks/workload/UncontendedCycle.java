package io.github.lockstarter.benchmarks.workload;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

import io.github.lockstarter.benchmarks.candidate.Candidate;
import io.github.lockstarter.benchmarks.candidate.LockClient;
import io.github.lockstarter.benchmarks.measure.Effort;
import io.github.lockstarter.benchmarks.measure.Load;
import io.github.lockstarter.benchmarks.measure.Rounds;
import io.github.lockstarter.benchmarks.measure.Slice;
import io.github.lockstarter.benchmarks.measure.Spread;
import io.github.lockstarter.benchmarks.measure.Table;

/**
 * Acquires and releases free locks, with one instance of each candidate.
 *
 * @param <A> the address of the server
 * @param run the run that it is part of
 * @param comparison the candidates
 * @param clients the instances
 */
record UncontendedCycle<A>(Run run, Comparison<A> comparison, Comparison.Clients clients) {

	/**
	 * Warms up.
	 * @param threads numbers of threads. The compiled code depends on the number of
	 * threads, so the number that is measured first comes last
	 */
	void warmUp(int... threads) throws Exception {
		Effort effort = this.run.effort(0, 1, Duration.ofSeconds(2));
		for (int number : threads) {
			Rounds.run("uncontended, to warm up with " + title(number), effort, this.comparison.candidates(),
					(candidate) -> measure(candidate, number, effort.slice()));
		}
	}

	/** Measures with some threads, adds a table to the report, and returns the ratios. */
	Ratios measure(int threads) throws Exception {
		Effort effort = this.run.effort(1, 20, Duration.ofMillis(200));
		Rounds<Candidate<A>, Cycles> rounds = Rounds.run("uncontended, " + title(threads), effort,
				this.comparison.candidates(), (candidate) -> measure(candidate, threads, effort.slice()));
		Map<Candidate<A>, Double> commands = new HashMap<>();
		for (Candidate<A> candidate : this.comparison.candidates()) {
			commands.put(candidate, commands(this.clients.of(candidate), threads));
		}
		return report(threads, rounds, commands);
	}

	private static String title(int threads) {
		return (threads == 1) ? "1 thread" : threads + " threads";
	}

	/** Returns the number of commands per cycle. */
	private double commands(LockClient client, int threads) throws Exception {
		LongAdder cycles = new LongAdder();
		long sent = this.comparison.server().count(() -> Load.run(threads, Duration.ofMillis(100), (thread) -> {
			Keys keys = new Keys(thread);
			return () -> {
				client.acquireFree(keys.next()).run();
				cycles.increment();
			};
		}));
		return sent / cycles.doubleValue();
	}

	private Cycles measure(Candidate<A> candidate, int threads, Duration duration) throws Exception {
		LockClient client = this.clients.of(candidate);
		double before = this.comparison.server().processorSeconds();
		Slice slice = Load.run(threads, duration, (thread) -> {
			Keys keys = new Keys(thread);
			return () -> client.acquireFree(keys.next()).run();
		});
		return new Cycles(slice, this.comparison.server().processorSeconds() - before);
	}

	private Ratios report(int threads, Rounds<Candidate<A>, Cycles> rounds, Map<Candidate<A>, Double> commands) {
		Candidate<A> baseline = this.comparison.baseline();
		Candidate<A> subject = this.comparison.subject();
		Table table = new Table("", "p50 ↓", "p99 ↓", "rate ↑", "processor time ↓",
				"processor time of %s ↓".formatted(this.comparison.server().name()), this.comparison.commands() + " ↓");
		Rounds<Candidate<A>, Cycles> together = rounds.together(5, Cycles::plus);
		for (Candidate<A> candidate : this.comparison.candidates()) {
			table.row(candidate, rounds.ratio(candidate, baseline, (cycles) -> cycles.slice.percentile(50)),
					rounds.ratio(candidate, baseline, (cycles) -> cycles.slice.percentile(99)),
					rounds.ratio(candidate, baseline, (cycles) -> cycles.slice.rate()),
					together.ratio(candidate, baseline, (cycles) -> cycles.slice.processorTime()),
					together.ratio(candidate, baseline, Cycles::serverTime),
					Spread.text(Objects.requireNonNull(commands.get(candidate))));
		}
		Spread baselineTime = rounds.of(baseline, (cycles) -> cycles.slice.percentile(50) / 1000);
		this.run.report()
			.table("**%s.** The baseline's p50 was %s µs.".formatted(title(threads),
					Spread.text(baselineTime.median())), table);
		return new Ratios(rounds.ratio(subject, baseline, (cycles) -> cycles.slice.percentile(50)),
				together.ratio(subject, baseline, (cycles) -> cycles.slice.processorTime()),
				rounds.ratio(subject, baseline, (cycles) -> cycles.slice.rate()));
	}

	/**
	 * The figures of this library as ratios to the baseline.
	 */
	record Ratios(Spread latency, Spread processorTime, Spread rate) {

	}

	/**
	 * The cost of cycles during a period of time.
	 *
	 * @param slice the cost in this process
	 * @param serverSeconds the processor time of the server in that time
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
