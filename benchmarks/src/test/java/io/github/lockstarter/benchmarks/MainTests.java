package io.github.lockstarter.benchmarks;

import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.benchmarks.candidate.RedisCandidate;
import io.github.lockstarter.benchmarks.candidate.RedisAddress;
import io.github.lockstarter.testing.LocalRedis;

import static org.assertj.core.api.Assertions.assertThat;

class MainTests {

	@Test
	@DisplayName("A brief run reports every candidate, and whether the goals were reached")
	void runsBriefly() throws Exception {
		try (LocalRedis redis = LocalRedis.started()) {
			String report = Main.report(new RedisAddress(redis.port()), List.of("uncontended"), true, "a test")
				.toString();
			for (RedisCandidate candidate : RedisCandidate.all()) {
				assertThat(report).containsPattern("\n\\| \\Q" + candidate + "\\E \\|( [0-9,.∞–]+ \\([^)]*\\) \\|)+");
			}
			assertThat(report).contains("## Goals", "printed by `a test`", "Redis ");
		}
	}

}
