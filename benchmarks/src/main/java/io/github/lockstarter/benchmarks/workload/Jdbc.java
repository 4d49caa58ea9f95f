package io.github.lockstarter.benchmarks.workload;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;

import io.github.lockstarter.benchmarks.candidate.Candidate;
import io.github.lockstarter.benchmarks.candidate.DatabaseAddress;
import io.github.lockstarter.benchmarks.candidate.JdbcCandidate;
import io.github.lockstarter.benchmarks.measure.LockServer;
import io.github.lockstarter.benchmarks.measure.MariaDbServer;
import io.github.lockstarter.benchmarks.measure.PostgreSqlServer;
import io.github.lockstarter.benchmarks.measure.Rounds;
import io.github.lockstarter.benchmarks.measure.Worker;

/**
 * Locks in a table: free locks and a contended lock in PostgreSQL, which notifies
 * waiters, and a contended lock in MariaDB, where they poll.
 */
public final class Jdbc implements Workload {

	private static final String IN_ONE = "8 threads in one instance";

	private static final String IN_TWO = "4 threads in each of two instances";

	@Override
	public void run(Run run) throws Exception {
		try (PostgreSqlServer server = new PostgreSqlServer()) {
			Comparison<DatabaseAddress> comparison = comparison(server.address(), server);
			uncontended(run, server, comparison);
			contended(run, comparison);
			new TransactionalReplay(run, server).measure();
		}
		try (MariaDbServer server = new MariaDbServer()) {
			polling(run, comparison(server.address(), server));
		}
	}

	private static Comparison<DatabaseAddress> comparison(DatabaseAddress address, LockServer server) {
		return new Comparison<>(address, server, "statements", List.of(JdbcCandidate.values()), JdbcCandidate.BASELINE,
				JdbcCandidate.THIS);
	}

	private static void uncontended(Run run, PostgreSqlServer server, Comparison<DatabaseAddress> comparison)
			throws Exception {
		run.report()
			.section("PostgreSQL, uncontended", """
					A cycle acquires and releases a free lock, with another key each time, in a table of PostgreSQL %s
					on the same machine. `fsync`, `full_page_writes` and `synchronous_commit` are on. The baseline is a
					prepared `INSERT … ON CONFLICT DO NOTHING` and a prepared `DELETE` of a row, each in a transaction
					of its own. Each instance of a candidate has a pool of %d connections (HikariCP), of which eight
					threads use eight. This library acquires over half of them, releases over the other half, and has
					one more connection for notifications. The figures are ratios to the baseline in the same round: the
					median over the rounds, with the quartiles in brackets. "Statements" is the number of statements per
					cycle that PostgreSQL executed, counted by `pg_stat_statements` afterwards. `BEGIN` and `COMMIT`
					count as one, since the driver sends `BEGIN` with the statement after it."""
				.formatted(server.version(), DatabaseAddress.CONNECTIONS));
		try (Comparison.Clients clients = comparison.connect()) {
			UncontendedCycle<DatabaseAddress> cycle = new UncontendedCycle<>(run, comparison, clients);
			cycle.warmUp(8, 1);
			run.report()
				.atMost("PostgreSQL, uncontended cycle, 1 thread: latency (p50) / baseline", 1.15,
						cycle.measure(1).latency());
			cycle.measure(8);
		}
	}

	private static void contended(Run run, Comparison<DatabaseAddress> comparison) throws Exception {
		run.report()
			.section("PostgreSQL, contended", """
					Eight threads compete for one lock. Each thread acquires it, holds it for 1 ms, releases it and
					acquires it again. The figures are ratios to the baseline in the same round: median and quartiles of
					four rounds. The baseline retries at once. ShedLock does not wait, so a loop retries every 100 ms.
					Spring Integration itself retries every 100 ms between two instances.

					%s
					- "Statements" is the number of statements per grant, counted as above in a separate round.

					The goals compare this library with the better of ShedLock and Spring Integration, by its median."""
				.formatted(HandOff.COLUMNS));
		// The tables have been created by one process: two cannot do so at once.
		comparison.server().clear();
		try (Worker one = new Worker(); Worker other = new Worker()) {
			contended(run, comparison, List.of(one), 8, IN_ONE);
			contended(run, comparison, List.of(one, other), 4, IN_TWO);
		}
	}

	private static void polling(Run run, Comparison<DatabaseAddress> comparison) throws Exception {
		run.report().section("MariaDB, contended", """
				This is the same measurement in MariaDB %s, which cannot notify waiters of a release. Between two
				instances this library polls, every 10 to 100 ms. Within an instance it hands the lock off to the
				next waiter. "Statements" comes from the server's counters of commands, and includes a few for each
				new connection.""".formatted(comparison.server().version()));
		try (Comparison.Clients clients = comparison.connect();
				Worker one = new Worker();
				Worker other = new Worker()) {
			// The tables have been created by one process.
			contended(run, comparison, List.of(one, other), 4, IN_TWO);
		}
	}

	private static void contended(Run run, Comparison<DatabaseAddress> comparison, List<Worker> workers, int threads,
			String title) throws Exception {
		HandOff.Figures<DatabaseAddress> figures = new HandOff<>(run, comparison, workers, threads, Duration.ZERO,
				title)
			.measure();
		Report report = run.report();
		Rounds<Candidate<DatabaseAddress>, Holdings> rounds = figures.rounds();
		List<Candidate<DatabaseAddress>> peers = comparison.peers();
		String server = comparison.server().name() + ", ";
		String goal = server + title + ": %s / best peer's (%s)";
		rounds.lowest(peers, (holdings) -> -holdings.moveRate())
			.ifPresent((best) -> report.atLeast(goal.formatted("moves", best), 1,
					rounds.ratio(comparison.subject(), best, Holdings::moveRate)));
		rounds.lowest(peers, Holdings::longWait)
			.ifPresent((best) -> report.atMost(goal.formatted("p99 wait", best), 1,
					rounds.ratio(comparison.subject(), best, Holdings::longWait)));
		report.atMost(server + title + ": served max/min", 2, rounds.of(comparison.subject(), Holdings::unfairness));
		peers.stream()
			.min(Comparator.comparingDouble(figures::commands))
			.ifPresent((best) -> report.atMost(goal.formatted("statements per grant", best), 1,
					figures.commands(comparison.subject()) / figures.commands(best)));
	}

}
