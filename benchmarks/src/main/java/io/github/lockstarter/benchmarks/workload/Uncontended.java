package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.candidate.RedisAddress;

/**
 * Acquires and releases locks without contention.
 */
public final class Uncontended implements Workload {

	@Override
	public void run(Run run) throws Exception {
		run.report().section("Uncontended", """
				A cycle acquires and releases a free lock, with another key each time. The figures are ratios to the
				baseline in the same round: the median over the rounds, with the quartiles in brackets. Processor times
				are summed over five rounds. "Commands" is the number of commands per cycle that reached Redis,
				counted by `MONITOR` afterwards. ADRs [13](../../docs/adr/0013-requests-put-together.md) and
				[14](../../docs/adr/0014-a-refusal-is-a-script.md) explain the times.""");
		Comparison<RedisAddress> comparison = run.onRedis();
		try (Comparison.Clients clients = comparison.connect()) {
			UncontendedCycle<RedisAddress> cycle = new UncontendedCycle<>(run, comparison, clients);
			cycle.warmUp(64, 8, 1);
			UncontendedCycle.Ratios one = cycle.measure(1);
			run.report().atMost("uncontended cycle, 1 thread: latency (p50) / baseline", 1, one.latency());
			run.report().atMost("uncontended cycle, 1 thread: processor time / baseline", 1.05, one.processorTime());
			run.report().atLeast("uncontended cycle, 8 threads: rate / baseline", 1, cycle.measure(8).rate());
			run.report().atLeast("uncontended cycle, 64 threads: rate / baseline", 1.5, cycle.measure(64).rate());
		}
	}

}
