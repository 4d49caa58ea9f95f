package io.github.lockstarter.actuate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import io.github.lockstarter.actuate.PromQuery.Label;
import io.github.lockstarter.actuate.PromQuery.Series;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks that the metrics in the dashboard are published.
 */
class GrafanaDashboardTests {

	private static final JsonNode DASHBOARD = read();

	private static final Pattern VARIABLE = Pattern.compile("label_values\\((.+), (\\w+)\\)");

	private static final Pattern IN_LEGEND = Pattern.compile("\\{\\{(\\w+)}}");

	/** Prometheus adds these to all that it scrapes. */
	private static final Set<String> OF_PROMETHEUS = Set.of("job", "instance");

	@Test
	@DisplayName("The metrics that the dashboard queries are published by default, except histogram buckets for percentiles")
	void byDefault() throws Exception {
		try (AllEventsApplication application = AllEventsApplication.start()) {
			assertThat(missing(application, panels())).isEmpty();
			assertThat(missing(application, panelsInRows())).isNotEmpty().allMatch((each) -> each.contains("_bucket"));
		}
	}

	@Test
	@DisplayName("With histograms enabled, the metrics of the percentile row are published")
	void withHistograms() throws Exception {
		try (AllEventsApplication application = AllEventsApplication
			.start("management.metrics.distribution.percentiles-histogram.lock=true")) {
			assertThat(missing(application, panelsInRows())).isEmpty();
		}
	}

	@Test
	@DisplayName("The metrics and labels behind the dashboard's variables are published")
	void variables() throws Exception {
		try (AllEventsApplication application = AllEventsApplication.start()) {
			Map<String, Map<String, Set<String>>> published = PromQuery.scraped(application.scrape());
			List<String> names = new ArrayList<>();
			for (JsonNode variable : DASHBOARD.at("/templating/list")) {
				Matcher query = VARIABLE.matcher(variable.at("/query/query").asString());
				assertThat(query.matches()).isTrue();
				PromQuery chosen = PromQuery.of(query.group(1));
				assertThat(missing(new PromQuery(chosen.series(), Set.of(query.group(2))), published)).isEmpty();
				names.add(variable.get("name").asString());
			}
			assertThat(names).containsExactly("application", "instance", "lock");
		}
	}

	@Test
	@DisplayName("The labels in a legend are the labels that its query groups by")
	void legends() {
		List<JsonNode> panels = Stream.concat(panels().stream(), panelsInRows().stream()).toList();
		for (JsonNode panel : panels) {
			for (JsonNode target : panel.path("targets")) {
				Set<String> named = new HashSet<>(IN_LEGEND.matcher(target.get("legendFormat").asString())
					.results()
					.map((MatchResult match) -> match.group(1))
					.toList());
				Set<String> labels = new HashSet<>(PromQuery.of(target.get("expr").asString()).labels());
				labels.remove("le");
				assertThat(named).as("%s", panel.get("title")).isEqualTo(labels);
			}
		}
	}

	private static List<String> missing(AllEventsApplication application, List<JsonNode> panels) throws Exception {
		Map<String, Map<String, Set<String>>> published = PromQuery.scraped(application.scrape());
		List<String> missing = new ArrayList<>();
		int queries = 0;
		for (JsonNode panel : panels) {
			for (JsonNode target : panel.path("targets")) {
				PromQuery query = PromQuery.of(target.get("expr").asString());
				assertThat(query.series()).as("%s", target).isNotEmpty();
				missing(query, published).forEach((each) -> missing.add(panel.get("title").asString() + ": " + each));
				queries++;
			}
		}
		assertThat(queries).isGreaterThan(5);
		return missing;
	}

	private static List<String> missing(PromQuery query, Map<String, Map<String, Set<String>>> published) {
		List<String> missing = new ArrayList<>();
		for (Series series : query.series()) {
			Map<String, Set<String>> labels = published.get(series.metric());
			if (labels == null) {
				missing.add(series.metric());
				continue;
			}
			query.labels()
				.stream()
				.filter((label) -> !OF_PROMETHEUS.contains(label) && !labels.containsKey(label))
				.forEach((label) -> missing.add(series.metric() + " by " + label));
			series.matchers()
				.stream()
				.filter((label) -> !OF_PROMETHEUS.contains(label.name()) && !matches(label, labels))
				.forEach((label) -> missing.add(series.metric() + " with " + label));
		}
		return missing;
	}

	/** Checks each of several values; a variable of the dashboard matches any value. */
	private static boolean matches(Label label, Map<String, Set<String>> published) {
		Set<String> values = published.getOrDefault(label.name(), Set.of());
		return label.value().startsWith("$") ? !values.isEmpty()
				: values.containsAll(List.of(label.value().split("\\|")));
	}

	private static List<JsonNode> panels() {
		List<JsonNode> panels = new ArrayList<>();
		DASHBOARD.get("panels").forEach(panels::add);
		return panels;
	}

	private static List<JsonNode> panelsInRows() {
		List<JsonNode> panels = new ArrayList<>();
		panels().forEach((row) -> row.path("panels").forEach(panels::add));
		return panels;
	}

	private static JsonNode read() {
		try {
			return new JsonMapper().readTree(Files.readString(Path.of("..", "docs", "grafana-dashboard.json")));
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
