package io.github.lockstarter.benchmarks.workload;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;

import io.github.lockstarter.benchmarks.candidate.Candidate;
import io.github.lockstarter.benchmarks.measure.Effort;
import io.github.lockstarter.benchmarks.measure.Load;
import io.github.lockstarter.benchmarks.measure.RedisMonitor;
import io.github.lockstarter.benchmarks.measure.Rounds;
import io.github.lockstarter.benchmarks.measure.Spread;
import io.github.lockstarter.benchmarks.measure.Table;
import io.github.lockstarter.benchmarks.measure.Worker;

/**
 * Many want one lock, in one process and in two.
 */
public final class HandOff implements Workload {

	private static final Duration WORK = Duration.ofMillis(1);

	/**
	 * A caller that is served so much less often than another is starved.
	 */
	private static final double STARVING = 5;

	/** Until a worker has read its task, and has connected. */
	private static final Duration LEAD = Duration.ofMillis(50);

	@Override
	public void run(Run run) throws Exception {
		run.report()
			.section("Contended",
					"""
							Eight threads acquire one lock, hold it for 1 ms, release it and acquire it again. Ratios to the floor in the same
							round: median and quartiles of four rounds. The floor retries at once.

							- "Gap" is the median time from a holder's call of release to the next grant.
							- "Moved" is the share of grants that went to another thread than the one before. Where a thread mostly gets its own
							  lock back, the others starve, and rate and gap say little.
							- "Max/min" is the number of grants of the thread with the most, divided by that of the thread with the fewest;
							  ∞: one thread had none.
							- "Requests" is the number of requests per grant that reached Redis, counted by `MONITOR` in a separate round.

							The goals compare with the best peer, by its median. A peer whose max/min is five or more is left out.""");
		run.server().clear();
		try (Worker one = new Worker(); Worker other = new Worker()) {
			measure(run, List.of(one), 8, Duration.ZERO, "8 threads in one JVM");
			measure(run, List.of(one), 8, WORK, "8 threads in one JVM, which pause for 1 ms after each release");
			measure(run, List.of(one, other), 4, Duration.ZERO, "4 threads in each of two JVMs");
		}
	}

	private void measure(Run run, List<Worker> workers, int threads, Duration pause, String title) throws Exception {
		Effort effort = run.effort(1, 4, Duration.ofMillis(900));
		for (Candidate candidate : Run.CANDIDATES) {
			contend(run, workers, candidate, threads, pause, Duration.ofMillis(100));
		}
		Rounds<Candidate, Holdings> rounds = Rounds.run("contended, " + title, effort, Run.CANDIDATES,
				(candidate) -> contend(run, workers, candidate, threads, pause, effort.slice()));
		Map<Candidate, Double> requests = new EnumMap<>(Candidate.class);
		for (Candidate candidate : Run.CANDIDATES) {
			List<Holdings> holdings = new ArrayList<>();
			RedisMonitor.Requests sent = RedisMonitor.count(run.redis(),
					() -> holdings.add(contend(run, workers, candidate, threads, pause, effort.slice())));
			requests.put(candidate, sent.requests() / (double) holdings.get(0).holdings().size());
		}
		report(run.report(), title, rounds, requests);
		if (pause.isZero()) {
			goals(run.report(), title, workers.size() > 1, rounds, requests);
		}
	}

	private static Holdings contend(Run run, List<Worker> workers, Candidate candidate, int threads, Duration pause,
			Duration duration) throws Exception {
		long begin = System.nanoTime() + LEAD.toNanos();
		long end = begin + duration.toNanos();
		List<Callable<List<Contention.Holding>>> parts = new ArrayList<>();
		for (int process = 0; process < workers.size(); process++) {
			Worker worker = workers.get(process);
			Contention contention = new Contention(run.redis(), candidate, "contended", process, threads, WORK, pause,
					begin, end);
			parts.add(() -> worker.run(contention));
		}
		return Holdings.of(Load.onThreads(parts), workers.size() * threads, begin, end);
	}

	private static void report(Report report, String title, Rounds<Candidate, Holdings> rounds,
			Map<Candidate, Double> requests) {
		Table table = new Table("", "rate", "wait p50", "wait p99", "wait max", "gap", "moved", "max/min", "requests");
		for (Candidate candidate : Run.CANDIDATES) {
			table.row(candidate, rounds.ratio(candidate, Candidate.FLOOR, Holdings::rate),
					rounds.ratio(candidate, Candidate.FLOOR, (holdings) -> holdings.waitTime(50)),
					rounds.ratio(candidate, Candidate.FLOOR, HandOff::longWait),
					rounds.ratio(candidate, Candidate.FLOOR, (holdings) -> holdings.waitTime(100)),
					rounds.ratio(candidate, Candidate.FLOOR, Holdings::gap),
					"%.0f %%".formatted(100 * rounds.of(candidate, Holdings::moved).median()),
					Spread.text(rounds.of(candidate, Holdings::unfairness).median()),
					Spread.text(Objects.requireNonNull(requests.get(candidate))));
		}
		report.table("**%s.** The floor's gap was %s µs, and its p99 wait %s ms.".formatted(title,
				Spread.text(rounds.of(Candidate.FLOOR, Holdings::gap).median() / 1e3),
				Spread.text(rounds.of(Candidate.FLOOR, HandOff::longWait).median() / 1e6)), table);
	}

	/** Only a peer that serves everybody is one to compare with. */
	private static void goals(Report report, String title, boolean severalProcesses, Rounds<Candidate, Holdings> rounds,
			Map<Candidate, Double> requests) {
		List<Candidate> peers = Run.CANDIDATES.stream()
			.filter(Candidate::isPeer)
			.filter((peer) -> rounds.of(peer, Holdings::unfairness).median() < STARVING)
			.toList();
		if (severalProcesses) {
			rounds.lowest(peers, (holdings) -> -holdings.rate())
				.ifPresent((best) -> report.atLeast("%s: rate / best peer's (%s)".formatted(title, best), 1.2,
						rounds.ratio(Candidate.THIS, best, Holdings::rate)));
		}
		else {
			rounds.lowest(peers, Holdings::gap)
				.ifPresent((best) -> report.atMost("%s: gap / best peer's (%s)".formatted(title, best), 0.15,
						rounds.ratio(Candidate.THIS, best, Holdings::gap)));
		}
		rounds.lowest(peers, HandOff::longWait)
			.ifPresent((best) -> report.atMost("%s: p99 wait / best peer's (%s)".formatted(title, best),
					severalProcesses ? 0.5 : 0.3, rounds.ratio(Candidate.THIS, best, HandOff::longWait)));
		report.atMost(title + ": requests per grant", severalProcesses ? 1 : 0.3,
				Objects.requireNonNull(requests.get(Candidate.THIS)));
		report.atMost(title + ": served max/min", severalProcesses ? 2 : 1.2,
				rounds.of(Candidate.THIS, Holdings::unfairness));
	}

	private static double longWait(Holdings holdings) {
		return holdings.waitTime(99);
	}

}
