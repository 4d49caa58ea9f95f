package io.github.lockstarter.actuate;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.lockstarter.actuate.PromQuery.Label;
import io.github.lockstarter.actuate.PromQuery.Series;

/**
 * A line of what an application publishes.
 */
record Sample(String metric, Map<String, String> labels, double value) {

	private static final Pattern LABEL = Pattern.compile("(\\w+)=\"((?:[^\"\\\\]|\\\\.)*)\"");

	/** Returns the lines of what was scraped. */
	static List<Sample> all(String text) {
		return text.lines().filter((line) -> !line.startsWith("#")).map(Sample::of).toList();
	}

	static Sample of(String line) {
		Map<String, String> labels = new HashMap<>();
		Matcher label = LABEL.matcher(line);
		while (label.find()) {
			labels.put(label.group(1), label.group(2));
		}
		return new Sample(line.split("[{ ]")[0], labels, Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)));
	}

	boolean isSelectedBy(Series series) {
		return this.metric.equals(series.metric()) && series.matchers().stream().allMatch(this::hasOneOf);
	}

	private boolean hasOneOf(Label label) {
		return Stream.of(label.value().split("\\|")).anyMatch((value) -> value.equals(this.labels.get(label.name())));
	}

}
