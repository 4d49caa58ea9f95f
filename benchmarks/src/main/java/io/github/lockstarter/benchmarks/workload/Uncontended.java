package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.candidate.RedisAddress;

/**
 * Acquires and releases locks without contention.
 */
public final class Uncontended implements Workload {

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
		Comparison<RedisAddress> comparison = run.onRedis();
		try (Comparison.Clients clients = comparison.connect()) {
			UncontendedCycle<RedisAddress> cycle = new UncontendedCycle<>(run, comparison, clients);
			cycle.warmUp(64, 8, 1);
			UncontendedCycle.Ratios one = cycle.measure(1);
			run.report().atMost("uncontended cycle, 1 thread: latency (p50) / floor", 1.10, one.latency());
			run.report().atMost("uncontended cycle, 1 thread: processor time / floor", 1.10, one.processorTime());
			run.report().atLeast("uncontended cycle, 8 threads: rate / floor", 1, cycle.measure(8).rate());
			run.report().atLeast("uncontended cycle, 64 threads: rate / floor", 1.5, cycle.measure(64).rate());
		}
	}

}
