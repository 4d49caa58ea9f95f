package io.github.lockstarter.actuate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The names in a PromQL query. The query is split into words, not parsed; its syntax is
 * not checked.
 *
 * @param series the metrics, with the labels that must match
 * @param labels the labels by which it groups
 */
record PromQuery(List<Series> series, Set<String> labels) {

	private static final Pattern TOKEN = Pattern
		.compile("\"(?:[^\"\\\\]|\\\\.)*\"|[a-zA-Z_:][\\w:]*|\\d[\\w.]*|\\$\\w+|=~|!~|!=|==|>=|<=|\\S");

	private static final Set<String> GROUPING = Set.of("by", "without", "on", "ignoring", "group_left", "group_right");

	/** The text between the name of a function and its arguments. */
	private static final Set<String> CALLS = Set.of("(", "by", "without");

	private static final Set<String> OPERATORS = Set.of("and", "or", "unless", "offset", "bool");

	static PromQuery of(String query) {
		List<String> tokens = TOKEN.matcher(query).results().map((match) -> match.group()).toList();
		List<Series> series = new ArrayList<>();
		Set<String> labels = new HashSet<>();
		for (int i = 0; i < tokens.size(); i++) {
			String token = tokens.get(i);
			String next = (i + 1 < tokens.size()) ? tokens.get(i + 1) : "";
			if (token.equals("[")) {
				i = end(tokens, i, "]");
			}
			else if (GROUPING.contains(token)) {
				int end = end(tokens, i, ")");
				tokens.subList(i + 2, end).stream().filter((each) -> !each.equals(",")).forEach(labels::add);
				i = end;
			}
			else if (Character.isLetter(token.charAt(0)) && !CALLS.contains(next) && !OPERATORS.contains(token)) {
				int end = next.equals("{") ? end(tokens, i, "}") : i;
				series.add(new Series(token, matchers(tokens.subList(Math.min(i + 2, end), end))));
				i = end;
			}
		}
		return new PromQuery(series, labels);
	}

	private static int end(List<String> tokens, int from, String closing) {
		int length = tokens.subList(from, tokens.size()).indexOf(closing);
		assertThat(length).as("%s after token %d of %s", closing, from, tokens).isPositive();
		return from + length;
	}

	private static List<Label> matchers(List<String> tokens) {
		List<Label> matchers = new ArrayList<>();
		for (int i = 0; i < tokens.size(); i += 4) {
			String text = tokens.get(i + 2);
			matchers.add(new Label(tokens.get(i), text.substring(1, text.length() - 1)));
		}
		return matchers;
	}

	/**
	 * A metric and its label matchers.
	 */
	record Series(String metric, List<Label> matchers) {
	}

	/**
	 * A label and its value, or a pattern for that.
	 */
	record Label(String name, String value) {
	}

	/**
	 * The published metrics: values by label, by metric.
	 */
	static Map<String, Map<String, Set<String>>> scraped(String text) {
		Map<String, Map<String, Set<String>>> metrics = new HashMap<>();
		for (Sample sample : Sample.all(text)) {
			Map<String, Set<String>> values = metrics.computeIfAbsent(sample.metric(), (metric) -> new HashMap<>());
			sample.labels()
				.forEach((name, value) -> values.computeIfAbsent(name, (label) -> new HashSet<>()).add(value));
		}
		return metrics;
	}

}
