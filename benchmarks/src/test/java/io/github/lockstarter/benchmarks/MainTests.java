package io.github.lockstarter.benchmarks;

import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.github.lockstarter.benchmarks.candidate.Candidate;
import io.github.lockstarter.benchmarks.candidate.JdbcCandidate;
import io.github.lockstarter.benchmarks.candidate.RedisAddress;
import io.github.lockstarter.benchmarks.candidate.RedisCandidate;
import io.github.lockstarter.testing.LocalRedis;

import static org.assertj.core.api.Assertions.assertThat;

class MainTests {

	@ParameterizedTest(name = "{0}")
	@MethodSource
	@DisplayName("A short run reports every candidate in each table, and whether the goals were met")
	void runsBriefly(String workload, List<Candidate<?>> candidates, int tables, List<String> goals) throws Exception {
		try (LocalRedis redis = LocalRedis.started()) {
			String report = Main.report(new RedisAddress(redis.port()), List.of(workload), true, "a test").toString();
			for (Candidate<?> candidate : candidates) {
				assertThat(report.lines()
					.filter((line) -> line.matches("\\| \\Q" + candidate + "\\E \\|( [0-9,.∞–]+ \\([^)]*\\) \\|)+.*")))
					.hasSize(tables);
			}
			assertThat(report).contains("## Goals", "printed by `a test`", "Redis ");
			assertThat(report.lines()
				.filter((line) -> line.contains(" | ≤ ") || line.contains(" | ≥ "))
				.map((line) -> line.replaceAll("\\| (.*?)( \\([A-Z].*?\\))? \\| [≤≥].*", "$1")))
				.containsExactlyElementsOf(goals);
		}
	}

	static Stream<Arguments> runsBriefly() {
		return Stream.of(
				Arguments.of("uncontended", RedisCandidate.all(), 3,
						List.of("uncontended cycle, 1 thread: latency (p50) / baseline",
								"uncontended cycle, 1 thread: processor time / baseline",
								"uncontended cycle, 8 threads: rate / baseline",
								"uncontended cycle, 64 threads: rate / baseline")),
				Arguments.of("jdbc", List.of(JdbcCandidate.values()), 5,
						List.of("PostgreSQL, uncontended cycle, 1 thread: latency (p50) / baseline",
								"PostgreSQL, 8 threads in one instance: moves / best peer's",
								"PostgreSQL, 8 threads in one instance: p99 wait / best peer's",
								"PostgreSQL, 8 threads in one instance: served max/min",
								"PostgreSQL, 8 threads in one instance: statements per grant / best peer's",
								"PostgreSQL, 4 threads in each of two instances: moves / best peer's",
								"PostgreSQL, 4 threads in each of two instances: p99 wait / best peer's",
								"PostgreSQL, 4 threads in each of two instances: served max/min",
								"PostgreSQL, 4 threads in each of two instances: statements per grant / best peer's",
								"MariaDB, 4 threads in each of two instances: moves / best peer's",
								"MariaDB, 4 threads in each of two instances: p99 wait / best peer's",
								"MariaDB, 4 threads in each of two instances: served max/min",
								"MariaDB, 4 threads in each of two instances: statements per grant / best peer's")));
	}

}
