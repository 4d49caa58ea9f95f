package io.github.lockstarter.benchmarks.workload;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;

import io.github.lockstarter.benchmarks.candidate.Candidate;
import io.github.lockstarter.benchmarks.measure.Effort;
import io.github.lockstarter.benchmarks.measure.Load;
import io.github.lockstarter.benchmarks.measure.Rounds;
import io.github.lockstarter.benchmarks.measure.Spread;
import io.github.lockstarter.benchmarks.measure.Table;
import io.github.lockstarter.benchmarks.measure.Worker;

/**
 * Threads in one process or in several that contend for one lock.
 *
 * @param <A> the address of the server
 * @param run the run that it is part of
 * @param comparison the candidates
 * @param workers the processes
 * @param threads the number of threads in each process
 * @param pause the pause of each thread after a release
 * @param title the title in a report
 */
record HandOff<A>(Run run, Comparison<A> comparison, List<Worker> workers, int threads, Duration pause, String title) {

	/** The meaning of the columns of the table; commands are described separately. */
	static final String COLUMNS = """
			- "Gap" is the median time from a holder's call of release to the next grant.
			- "Moved" is the share of grants to a different thread than the grant before. Where this share is
			  small, a thread mostly gets its own lock again, and the others starve. Rate, gap and the p50 of
			  the wait mean little then.
			- "Moves" is the number of such grants per second.
			- "Max/min" is the number of grants of the thread with the most grants, divided by that of the
			  thread with the fewest. ∞ means that one thread had no grant.""";

	private static final Duration WORK = Duration.ofMillis(1);

	/** The time for a worker to read its task and to connect. */
	private static final Duration LEAD = Duration.ofMillis(50);

	/** Measures, adds a table to the report, and returns the figures. */
	Figures<A> measure() throws Exception {
		Effort effort = this.run.effort(1, 4, Duration.ofMillis(900));
		for (Candidate<A> candidate : this.comparison.candidates()) {
			contend(candidate, Duration.ofMillis(100));
		}
		Rounds<Candidate<A>, Holdings> rounds = Rounds.run("contended, " + this.title, effort,
				this.comparison.candidates(), (candidate) -> contend(candidate, effort.slice()));
		Map<Candidate<A>, Double> commands = new HashMap<>();
		for (Candidate<A> candidate : this.comparison.candidates()) {
			List<Holdings> holdings = new ArrayList<>();
			long sent = this.comparison.server().count(() -> holdings.add(contend(candidate, effort.slice())));
			commands.put(candidate, sent / (double) holdings.get(0).holdings().size());
		}
		Figures<A> figures = new Figures<>(rounds, commands);
		report(figures);
		return figures;
	}

	private Holdings contend(Candidate<A> candidate, Duration duration) throws Exception {
		long begin = System.nanoTime() + LEAD.toNanos();
		long end = begin + duration.toNanos();
		List<Callable<List<Contention.Holding>>> parts = new ArrayList<>();
		for (int process = 0; process < this.workers.size(); process++) {
			Worker worker = this.workers.get(process);
			Contention<A> contention = new Contention<>(this.comparison.address(), candidate, "contended", process,
					this.threads, WORK, this.pause, begin, end);
			parts.add(() -> worker.run(contention));
		}
		return Holdings.of(Load.onThreads(parts), this.workers.size() * this.threads, begin, end);
	}

	private void report(Figures<A> figures) {
		Candidate<A> baseline = this.comparison.baseline();
		Rounds<Candidate<A>, Holdings> rounds = figures.rounds;
		Table table = new Table("", "rate ↑", "wait p50 ↓", "wait p99 ↓", "wait max ↓", "gap ↓", "moved ↑", "moves ↑",
				"max/min ↓", this.comparison.commands() + " ↓");
		for (Candidate<A> candidate : this.comparison.candidates()) {
			table.row(candidate, rounds.ratio(candidate, baseline, Holdings::rate),
					rounds.ratio(candidate, baseline, (holdings) -> holdings.waitTime(50)),
					rounds.ratio(candidate, baseline, Holdings::longWait),
					rounds.ratio(candidate, baseline, (holdings) -> holdings.waitTime(100)),
					rounds.ratio(candidate, baseline, Holdings::gap),
					"%.0f %%".formatted(100 * rounds.of(candidate, Holdings::moved).median()),
					Spread.text(rounds.of(candidate, Holdings::moveRate).median()),
					Spread.text(rounds.of(candidate, Holdings::unfairness).median()),
					Spread.text(figures.commands(candidate)));
		}
		this.run.report()
			.table("**%s.** The baseline's gap was %s µs, and its p99 wait %s ms.".formatted(this.title,
					Spread.text(rounds.of(baseline, Holdings::gap).median() / 1e3),
					Spread.text(rounds.of(baseline, Holdings::longWait).median() / 1e6)), table);
	}

	/**
	 * The measured figures.
	 *
	 * @param <A> the address of the server
	 * @param rounds the holdings of each candidate, round by round
	 * @param commandsPerGrant the commands of each candidate
	 */
	record Figures<A>(Rounds<Candidate<A>, Holdings> rounds, Map<Candidate<A>, Double> commandsPerGrant) {

		/** Returns the commands per grant of a candidate. */
		double commands(Candidate<A> candidate) {
			return Objects.requireNonNull(this.commandsPerGrant.get(candidate));
		}

	}

}
