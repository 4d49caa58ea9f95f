package io.github.lockstarter.actuate;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

import io.github.lockstarter.actuate.PromQuery.Series;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The alert rules, and their runbook. The rules are compared with what an application
 * publishes in which each of the reported events has occurred. {@code promtool} checks
 * the expressions, and when an alert fires.
 */
class AlertRulesTests {

	private static final Path DOCS = Path.of("..", "docs");

	private static final Pattern HEADING = Pattern.compile("^## (\\w+)$", Pattern.MULTILINE);

	private static final Pattern ROW = Pattern.compile("^\\| \\[(\\w+)]\\(#(\\w+)\\) \\| (\\w+) \\|",
			Pattern.MULTILINE);

	private static final Pattern IN_SUMMARY = Pattern.compile("\\$labels\\.(\\w+)");

	/** Prometheus adds these to all that it scrapes. */
	private static final Set<String> OF_PROMETHEUS = Set.of("job", "instance");

	private static AllAlertsApplication application;

	private static List<Sample> samples;

	@BeforeAll
	static void start() throws Exception {
		application = AllAlertsApplication.start();
		samples = Sample.all(application.scrape());
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	static List<Rule> rules() {
		Map<String, List<Map<String, Object>>> file = read("alert-rules.yml");
		return file.get("groups").stream().flatMap((group) -> Rule.all(group).stream()).toList();
	}

	@ParameterizedTest
	@MethodSource("rules")
	@DisplayName("An alert reads metrics that the application publishes, and that are above zero when its condition has occurred")
	void metrics(Rule rule) {
		PromQuery query = PromQuery.of(rule.expr);
		assertThat(query.series()).isNotEmpty();
		for (Series series : query.series()) {
			List<Sample> selected = samples.stream().filter((sample) -> sample.isSelectedBy(series)).toList();
			assertThat(selected).as("%s", series).isNotEmpty().allSatisfy((sample) -> {
				Set<String> labels = new HashSet<>(sample.labels().keySet());
				labels.addAll(OF_PROMETHEUS);
				assertThat(labels).containsAll(query.labels());
			}).anySatisfy((sample) -> assertThat(sample.value()).isPositive());
			series.matchers()
				.forEach((label) -> assertThat(label.value().split("\\|")).as("%s", label)
					.allSatisfy((value) -> assertThat(selected)
						.anyMatch((sample) -> value.equals(sample.labels().get(label.name())))));
		}
	}

	@ParameterizedTest
	@MethodSource("rules")
	@DisplayName("A summary names labels that the alert has, and the link leads to the entry of the alert in the runbook")
	void annotations(Rule rule) {
		Set<String> named = new HashSet<>(
				IN_SUMMARY.matcher(rule.summary).results().map((label) -> label.group(1)).toList());
		assertThat(named).isEqualTo(PromQuery.of(rule.expr).labels());
		assertThat(rule.runbook)
			.isEqualTo("https://lockstarter.github.io/alerts#" + rule.alert.toLowerCase(Locale.ROOT));
	}

	@Test
	@DisplayName("The runbook has an entry and a row for each alert, and none for another")
	void runbook() throws IOException {
		String page = Files.readString(DOCS.resolve("alerts.md"));
		List<String> alerts = rules().stream().map((rule) -> rule.alert).toList();
		assertThat(HEADING.matcher(page).results().map((heading) -> heading.group(1)))
			.containsExactlyElementsOf(alerts);
		assertThat(ROW.matcher(page).results().map((row) -> row.group(1) + " " + row.group(2) + " " + row.group(3)))
			.containsExactlyElementsOf(rules().stream()
				.map((rule) -> rule.alert + " " + rule.alert.toLowerCase(Locale.ROOT) + " " + rule.severity)
				.toList());
		for (String entry : page.split("(?m)^## ")) {
			assertThat(entry).satisfiesAnyOf((each) -> assertThat(each).startsWith("# Alerts"),
					(each) -> assertThat(each).contains("**Meaning.**", "**Likely causes.**", "**What to do.**"));
		}
		assertThat(page).contains("has twelve alert rules");
		assertThat(alerts).hasSize(12).doesNotHaveDuplicates();
	}

	@ParameterizedTest
	@ValueSource(strings = { "check rules alert-rules.yml", "test rules alert-rules-tests.yml" })
	@DisplayName("promtool accepts the rules, and its tests of the rules pass")
	void promtool(String arguments) throws Exception {
		List<String> command = new ArrayList<>(List.of("promtool"));
		command.addAll(List.of(arguments.split(" ")));
		Process process;
		try {
			process = new ProcessBuilder(command).directory(DOCS.toFile()).redirectErrorStream(true).start();
		}
		catch (IOException ex) {
			throw new IllegalStateException(
					"This test needs promtool on the PATH: install it (in Debian, it is part of prometheus)", ex);
		}
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor()).as(output).isZero();
		assertThat(output).contains("SUCCESS");
	}

	@Test
	@DisplayName("The tests for promtool have a case in which each alert fires, with series that the application publishes")
	@SuppressWarnings("unchecked")
	void cases() {
		Map<String, List<Map<String, Object>>> file = read("alert-rules-tests.yml");
		Set<String> firing = new HashSet<>();
		for (Map<String, Object> test : file.get("tests")) {
			for (Map<String, Object> input : (List<Map<String, Object>>) test.get("input_series")) {
				Sample series = Sample.of(input.get("series") + " 0");
				Set<String> labels = new HashSet<>(series.labels().keySet());
				labels.removeAll(OF_PROMETHEUS);
				assertThat(samples).as("%s", input.get("series")).anySatisfy((sample) -> {
					assertThat(sample.metric()).isEqualTo(series.metric());
					assertThat(sample.labels()).containsOnlyKeys(labels);
					assertThat(sample.labels().get("outcome")).isEqualTo(series.labels().get("outcome"));
				});
			}
			for (Map<String, Object> expected : (List<Map<String, Object>>) test.get("alert_rule_test")) {
				if (!((List<?>) expected.get("exp_alerts")).isEmpty()) {
					firing.add(expected.get("alertname").toString());
				}
			}
		}
		assertThat(firing).containsExactlyInAnyOrderElementsOf(rules().stream().map((rule) -> rule.alert).toList());
	}

	private static <T> T read(String file) {
		try {
			return new Yaml().load(Files.readString(DOCS.resolve(file)));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** A rule of the file. */
	record Rule(String alert, String expr, String severity, String summary, String runbook) {

		@SuppressWarnings("unchecked")
		static List<Rule> all(Map<String, Object> group) {
			return ((List<Map<String, Object>>) group.get("rules")).stream().map((rule) -> {
				Map<String, String> labels = (Map<String, String>) rule.get("labels");
				Map<String, String> annotations = (Map<String, String>) rule.get("annotations");
				return new Rule((String) rule.get("alert"), (String) rule.get("expr"), labels.get("severity"),
						annotations.get("summary"), annotations.get("runbook_url"));
			}).toList();
		}

		@Override
		public String toString() {
			return this.alert;
		}

	}

}
