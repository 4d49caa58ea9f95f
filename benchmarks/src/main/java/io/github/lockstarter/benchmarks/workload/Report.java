package io.github.lockstarter.benchmarks.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.lockstarter.benchmarks.measure.Spread;
import io.github.lockstarter.benchmarks.measure.Table;

/**
 * The results of a run in Markdown, and the goals that were reached.
 */
public final class Report {

	private static final List<Reason> REASONS = List.of(new Reason("uncontended cycle, .*(latency|rate).*", """
			**Uncontended, latency and rate:** one script grants the lock and draws its fencing token. Redis
			takes longer for this script than for a bare `SET`. With 8 threads, this time is the remaining
			difference to the baseline (ADRs [13](../../docs/adr/0013-requests-put-together.md) and
			[68](../../docs/adr/0068-commands-instead-of-scripts.md)). With 64 threads several locks share one command,
			but Redis still runs the script for each lock."""), new Reason("uncontended cycle, .*processor time.*", """
			**Uncontended, processor time:** the library's own part of a cycle consists of many small steps.
			No step stands out in a profile (ADR [14](../../docs/adr/0014-a-refusal-is-a-script.md))."""),
			new Reason("rejected, holder elsewhere.*", """
					**Rejected, holder elsewhere:** one script grants and rejects. It reads the remaining time, for
					`Retry-After`, and the owner, for an acquire that the driver repeats. Faster scripts omit one of
					these, need more commands, or need a newer Redis (ADR
					[14](../../docs/adr/0014-a-refusal-is-a-script.md))."""),
			new Reason("rejected, holder in this instance.*", """
					**Rejected, holder in this instance:** a rejection finds the lock in a table and creates its result,
					without a command. The time of these few steps depends on the processor. On a faster processor the
					goal is reached."""), new Reason("8 threads in one instance: p99 wait.*", """
					**p99 wait of 8 threads in one instance:** the queue is fair, so each waiter waits for the seven
					holders before it, 1 ms each. These 7 ms are a lower bound, however fast the hand-off is."""),
			new Reason("PostgreSQL, uncontended cycle, .*latency.*", """
					**PostgreSQL, uncontended, latency:** the statement that acquires also draws the fencing token,
					limits the wait for a row that another transaction has locked, and finds the holder if there is
					one. PostgreSQL takes longer for this statement than for a bare `INSERT`."""),
			new Reason("MariaDB, .*p99 wait.*", """
					**MariaDB, p99 wait:** an instance hands the lock off to its own waiters for a turn, and then the
					waiters of the other instance have to poll. The peer serves its threads unevenly, which its longest
					wait and its max/min show, and its p99 does not."""), new Reason("MariaDB, .*max/min", """
					**MariaDB, fairness:** waiters of two instances poll, so chance decides which instance finds the
					lock free. Within an instance the queue is fair."""), new Reason("held lock: bytes of heap", """
					**Heap per held lock:** two fifths are texts: the key, the owner, and the key in Redis. The rest
					are seven small objects of the engine and the store, each with one task."""),
			new Reason(".*asynchronous waiters: bytes of heap.*", """
					**Heap per waiter:** a waiter has a future for its caller, one for its answer, the acquisition with
					its deadline, and what they have to do next."""),
			new Reason("uncontended cycle: bytes allocated", """
					**Bytes allocated:** two bare commands of the driver allocate four fifths of the goal (ADR
					[70](../../docs/adr/0070-the-drivers-timeout-for-scripts-stays.md))."""),
			new Reason("`@ExclusiveRequest.*distinct keys.*", """
					**`@ExclusiveRequest`, distinct keys:** the annotation evaluates the key, keeps the lock in a
					table, and renews the lease. `#order.number` is an expression that is evaluated for each request;
					the code by hand calls a method instead. Medians differ by a few hundredths from run to run (ADR
					[37](../../docs/adr/0037-refusals-without-exception-handling.md))."""),
			new Reason("`@ExclusiveRequest.*one key.*", """
					**`@ExclusiveRequest`, one key:** each client sends its next request as soon as it is rejected.
					Cheaper rejections therefore lead to more rejections, which take processor time from the holder. The
					local set has the same effect. In WebFlux the framework takes most of the time of a rejection, with
					the local set as well. Rejected requests do not yield there, because a yield stops all requests of
					an event loop. Medians differ by a tenth from run to run, and by more from machine to machine (ADR
					[37](../../docs/adr/0037-refusals-without-exception-handling.md))."""));

	private final String introduction;

	private final StringBuilder text = new StringBuilder();

	private final List<Goal> goals = new ArrayList<>();

	/**
	 * Creates an empty report.
	 * @param command the command of the run
	 * @param redisVersion the version of Redis
	 */
	public Report(String command, String redisVersion) {
		this.introduction = """
				# Performance

				This page compares the cost of the locks with that of other libraries. It was printed by `%s`,
				in one run.

				The candidates are measured in turns, each once in every round. JMH and the counts measure one
				candidate after the other. Unless a table says otherwise, times and rates are ratios to the baseline
				in the same round. The baseline is bare commands through Lettuce. Times and rates differ between
				machines; counts and bytes do not.

				In the head of a table, ↓ means that less is better, ↑ that more is better, and – that neither is.
				A ratio above 1 is therefore worse than the baseline in a column with ↓, and a ratio below 1 in a
				column with ↑.

				%s
				""".formatted(command, Environment.describe(redisVersion));
	}

	/** Adds a heading with an explanation. */
	void section(String title, String explanation) {
		this.text.append("\n## %s\n\n%s\n".formatted(title, explanation.strip()));
	}

	/** Adds a table with a caption. */
	void table(String caption, Table table) {
		this.text.append("\n%s\n\n%s".formatted(caption.strip(), table));
	}

	/** Adds a paragraph. */
	void paragraph(String paragraph) {
		this.text.append("\n%s\n".formatted(paragraph.strip()));
	}

	/** Adds a goal: a figure that should be at most the limit. */
	void atMost(String what, double limit, double measured) {
		this.goals.add(new Goal(what, "≤ " + Spread.text(limit), precise(measured), measured <= limit));
	}

	/** Adds a goal: a figure whose median should be at most the limit. */
	void atMost(String what, double limit, Spread measured) {
		this.goals.add(new Goal(what, "≤ " + Spread.text(limit), precise(measured), measured.median() <= limit));
	}

	/** Adds a goal: a figure whose median should be at least the limit. */
	void atLeast(String what, double limit, Spread measured) {
		this.goals.add(new Goal(what, "≥ " + Spread.text(limit), precise(measured), measured.median() >= limit));
	}

	private static String precise(Spread figure) {
		return "%s (%s–%s)".formatted(precise(figure.median()), Spread.text(figure.low()), Spread.text(figure.high()));
	}

	/** Formats a figure with enough decimals to distinguish it from a near limit. */
	private static String precise(double figure) {
		return (figure < 10) ? "%.3f".formatted(figure) : Spread.text(figure);
	}

	private String goals() {
		if (this.goals.isEmpty()) {
			return "";
		}
		Table table = new Table("work", "goal", "measured", "reached");
		this.goals.forEach((goal) -> table.row(goal.what, goal.limit, goal.measured, goal.reached ? "yes" : "**no**"));
		return "\n## Goals\n\nThe measured figures are medians over the rounds, with the quartiles in brackets.\n\n"
				+ table + reasons();
	}

	/** Lists the reasons for the missed goals. */
	private String reasons() {
		List<String> missed = this.goals.stream().filter((goal) -> !goal.reached).map(Goal::what).toList();
		if (missed.isEmpty()) {
			return "";
		}
		Stream<String> known = REASONS.stream()
			.filter((reason) -> missed.stream().anyMatch(reason::explains))
			.map(Reason::text);
		Stream<String> unknown = missed.stream()
			.filter((goal) -> REASONS.stream().noneMatch((reason) -> reason.explains(goal)))
			.map("**%s:** no reason is known."::formatted);
		return Stream.concat(known, unknown)
			.map((text) -> "\n- " + text.replace("\n", "\n  "))
			.collect(Collectors.joining("", "\n### Why goals are missed\n", "\n"));
	}

	@Override
	public String toString() {
		return this.introduction + goals() + this.text;
	}

	private record Goal(String what, String limit, String measured, boolean reached) {

	}

	/** The reason for missing the goals whose names match the regular expression. */
	private record Reason(String goals, String text) {

		boolean explains(String goal) {
			return goal.matches(this.goals);
		}

	}

}
