package io.github.lockstarter.benchmarks.workload;

import java.util.ArrayList;
import java.util.List;

import io.github.lockstarter.benchmarks.measure.Spread;
import io.github.lockstarter.benchmarks.measure.Table;

/**
 * What comes of a run, in Markdown, and which goals were reached.
 */
public final class Report {

	private final String introduction;

	private final StringBuilder text = new StringBuilder();

	private final List<Goal> goals = new ArrayList<>();

	/**
	 * Creates a report that is empty so far.
	 * @param command what has made it
	 * @param redisVersion the version of Redis
	 */
	public Report(String command, String redisVersion) {
		this.introduction = """
				# Performance

				All of this was printed by `%s`, in one run, which measures the candidates in turns, each once
				in every round. Unless a table says otherwise, times and rates are ratios to the floor in the same round: bare
				commands through Lettuce. On another machine they are others; counts and bytes are not. What JMH measures, and what
				is counted rather than timed, was measured for one candidate after the other.

				%s
				"""
			.formatted(command, Environment.describe(redisVersion));
	}

	/** Adds a heading, with a paragraph on what stands below. */
	void section(String title, String explanation) {
		this.text.append("\n## %s\n\n%s\n".formatted(title, explanation.strip()));
	}

	/** Adds a table with a line on what it shows. */
	void table(String caption, Table table) {
		this.text.append("\n%s\n\n%s".formatted(caption.strip(), table));
	}

	/** Adds a paragraph. */
	void paragraph(String paragraph) {
		this.text.append("\n%s\n".formatted(paragraph.strip()));
	}

	/** Notes a figure that is to be at most this. */
	void atMost(String what, double limit, double measured) {
		this.goals.add(new Goal(what, "≤ " + Spread.text(limit), precise(measured), measured <= limit));
	}

	/** Notes a figure whose median is to be at most this. */
	void atMost(String what, double limit, Spread measured) {
		this.goals.add(new Goal(what, "≤ " + Spread.text(limit), precise(measured), measured.median() <= limit));
	}

	/** Notes a figure whose median is to be at least this. */
	void atLeast(String what, double limit, Spread measured) {
		this.goals.add(new Goal(what, "≥ " + Spread.text(limit), precise(measured), measured.median() >= limit));
	}

	private static String precise(Spread figure) {
		return "%s (%s–%s)".formatted(precise(figure.median()), Spread.text(figure.low()), Spread.text(figure.high()));
	}

	/** Near a limit two decimals do not tell on which side. */
	private static String precise(double figure) {
		return (figure < 10) ? "%.3f".formatted(figure) : Spread.text(figure);
	}

	private String goals() {
		if (this.goals.isEmpty()) {
			return "";
		}
		Table table = new Table("work", "goal", "measured", "reached");
		this.goals.forEach((goal) -> table.row(goal.what, goal.limit, goal.measured, goal.reached ? "yes" : "**no**"));
		return "\n## Goals\n\nMedians over the rounds, and the quartiles in brackets.\n\n" + table;
	}

	@Override
	public String toString() {
		return this.introduction + goals() + this.text;
	}

	private record Goal(String what, String limit, String measured, boolean reached) {

	}

}
