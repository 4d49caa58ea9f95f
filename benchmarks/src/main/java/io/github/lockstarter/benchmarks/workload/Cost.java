package io.github.lockstarter.benchmarks.workload;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

import io.github.lockstarter.benchmarks.candidate.RedisCandidate;
import io.github.lockstarter.benchmarks.jmh.Jmh;
import io.github.lockstarter.benchmarks.measure.Progress;
import io.github.lockstarter.benchmarks.measure.Spread;
import io.github.lockstarter.benchmarks.measure.Table;
import io.github.lockstarter.benchmarks.measure.Worker;

/**
 * Measures the resources of locks other than time.
 */
public final class Cost implements Workload {

	@Override
	public void run(Run run) throws Exception {
		run.report().section("Cost", """
				Each candidate runs in a JVM of its own. A cycle is an acquire and a release of a free lock.
				The executed commands include those in scripts. Threads and connections
				are those of one instance of an application after use by 8 threads. Memory in Redis is the growth of
				its data per held lock. A waiter is an asynchronous call that waits for a lock that another instance
				holds. In a library without such calls, a waiter is a thread.""");
		int count = run.brief() ? 200 : 10_000;
		Map<RedisCandidate, Footprint.Figures> figures = new EnumMap<>(RedisCandidate.class);
		for (RedisCandidate candidate : Run.CANDIDATES) {
			Progress.show("cost: %s", candidate);
			try (Worker worker = new Worker("-XX:+UseSerialGC", "-Xmx1g")) {
				figures.put(candidate, worker.run(new Footprint(run.redis(), candidate, count)));
			}
		}
		Progress.show("cost: allocation");
		run.server().clear();
		report(run.report(), count, figures, new Jmh(run.redis(), run.brief() ? 1 : 10).run("cycle", 1));
	}

	private static void report(Report report, int count, Map<RedisCandidate, Footprint.Figures> figures,
			Map<RedisCandidate, Jmh.Score> allocation) {
		Table cycle = new Table("", "commands sent per cycle ↓", "commands executed per cycle ↓",
				"bytes sent and received per cycle ↓", "bytes allocated per cycle ↓", "threads ↓", "connections ↓");
		Table held = new Table("", "memory in Redis per held lock ↓", "heap per held lock ↓",
				"heap per waiter, of %,d ↓".formatted(count), "threads per waiter ↓");
		figures.forEach((candidate, it) -> {
			cycle.row(candidate, Spread.text(it.sent()), Spread.text(it.executed()), Spread.text(it.bytes()),
					Spread.text(Objects.requireNonNull(allocation.get(candidate)).bytes()), it.threads(),
					it.connections());
			boolean threads = Double.isNaN(it.waiters().heap());
			held.row(candidate, Spread.text(it.memory()), Spread.text(it.heap()),
					threads ? "–" : Spread.text(it.waiters().heap()),
					threads ? "1" : Spread.text(it.waiters().threads()));
		});
		report.table("**Cycle.**", cycle);
		report.table("**Held locks and waiters.** Memory and heap in bytes.", held);
		Footprint.Figures mine = Objects.requireNonNull(figures.get(RedisCandidate.THIS));
		report.atMost("%,d asynchronous waiters: bytes of heap each".formatted(count), 450, mine.waiters().heap());
		report.atMost("%,d asynchronous waiters: threads each".formatted(count), 0.01, mine.waiters().threads());
		report.atMost("held lock: bytes of heap", 450, mine.heap());
		report.atMost("uncontended cycle: commands", 2, mine.sent());
		report.atMost("uncontended cycle: bytes allocated", 3_000,
				Objects.requireNonNull(allocation.get(RedisCandidate.THIS)).bytes());
	}

}
