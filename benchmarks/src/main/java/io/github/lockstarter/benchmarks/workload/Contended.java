package io.github.lockstarter.benchmarks.workload;

import java.time.Duration;
import java.util.List;

import io.github.lockstarter.benchmarks.candidate.Candidate;
import io.github.lockstarter.benchmarks.candidate.RedisAddress;
import io.github.lockstarter.benchmarks.candidate.RedisCandidate;
import io.github.lockstarter.benchmarks.measure.Rounds;
import io.github.lockstarter.benchmarks.measure.Worker;

/**
 * Many threads contend for one lock, in one process and in two.
 */
public final class Contended implements Workload {

	/**
	 * A caller that is served less often than another by this factor is starved.
	 */
	private static final double STARVING = 5;

	@Override
	public void run(Run run) throws Exception {
		run.report().section("Contended", """
				Eight threads compete for one lock. Each thread acquires it, holds it for 1 ms, releases it and
				acquires it again. The figures are ratios to the baseline in the same round: median and quartiles of
				four rounds. The baseline retries at once.

				%s
				- "Commands" is the number of commands per grant that reached Redis, counted by `MONITOR` in a
				  separate round.

				The goals compare this library with the best peer, by its median. Peers with a max/min of five or
				more are left out.""".formatted(HandOff.COLUMNS));
		run.server().clear();
		try (Worker one = new Worker(); Worker other = new Worker()) {
			measureWithGoals(run, List.of(one), 8, "8 threads in one instance");
			new HandOff<>(run, run.onRedis(), List.of(one), 8, Duration.ofMillis(1),
					"8 threads in one instance, which pause for 1 ms after each release")
				.measure();
			measureWithGoals(run, List.of(one, other), 4, "4 threads in each of two instances");
		}
	}

	private static void measureWithGoals(Run run, List<Worker> workers, int threads, String title) throws Exception {
		goals(run, title, workers.size() > 1,
				new HandOff<>(run, run.onRedis(), workers, threads, Duration.ZERO, title).measure());
	}

	/** Compares only with peers that do not starve a caller. */
	private static void goals(Run run, String title, boolean severalProcesses, HandOff.Figures<RedisAddress> figures) {
		Report report = run.report();
		Rounds<Candidate<RedisAddress>, Holdings> rounds = figures.rounds();
		List<Candidate<RedisAddress>> peers = run.onRedis()
			.peers()
			.stream()
			.filter((peer) -> rounds.of(peer, Holdings::unfairness).median() < STARVING)
			.toList();
		if (severalProcesses) {
			rounds.lowest(peers, (holdings) -> -holdings.rate())
				.ifPresent((best) -> report.atLeast("%s: rate / best peer's (%s)".formatted(title, best), 1.2,
						rounds.ratio(RedisCandidate.THIS, best, Holdings::rate)));
		}
		else {
			rounds.lowest(peers, Holdings::gap)
				.ifPresent((best) -> report.atMost("%s: gap / best peer's (%s)".formatted(title, best), 0.15,
						rounds.ratio(RedisCandidate.THIS, best, Holdings::gap)));
		}
		rounds.lowest(peers, Holdings::longWait)
			.ifPresent((best) -> report.atMost("%s: p99 wait / best peer's (%s)".formatted(title, best),
					severalProcesses ? 0.5 : 0.3, rounds.ratio(RedisCandidate.THIS, best, Holdings::longWait)));
		report.atMost(title + ": commands per grant", severalProcesses ? 1 : 0.3,
				figures.commands(RedisCandidate.THIS));
		report.atMost(title + ": served max/min", severalProcesses ? 2 : 1.2,
				rounds.of(RedisCandidate.THIS, Holdings::unfairness));
	}

}
