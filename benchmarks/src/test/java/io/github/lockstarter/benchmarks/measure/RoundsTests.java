package io.github.lockstarter.benchmarks.measure;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RoundsTests {

	@Test
	@DisplayName("A ratio compares figures of the same round, and warm-up rounds do not count")
	void ratio() throws Exception {
		Rounds<String, Integer> rounds = rounds(List.of(99, 2, 10, 8), List.of(1, 1, 2, 4));
		assertThat(rounds.results("mine")).containsExactly(2, 10, 8);
		assertThat(rounds.ratio("mine", "baseline", Integer::doubleValue)).isEqualTo(new Spread(2, 2, 3.5));
	}

	@Test
	@DisplayName("Rounds that are grouped are added up, including an incomplete last group")
	void together() throws Exception {
		Rounds<String, Integer> rounds = rounds(List.of(99, 1, 2, 4), List.of(1, 1, 1, 1)).together(2, Integer::sum);
		assertThat(rounds.results("mine")).containsExactly(3, 4);
		assertThat(rounds.results("baseline")).containsExactly(2, 1);
	}

	@Test
	@DisplayName("The lowest candidate has the lowest median, not the lowest single figure; without candidates there is none")
	void lowest() throws Exception {
		Rounds<String, Integer> rounds = rounds(List.of(99, 5, 5, 1), List.of(1, 4, 4, 4));
		assertThat(rounds.lowest(List.of("mine", "baseline"), Integer::doubleValue)).contains("baseline");
		assertThat(rounds.lowest(List.of(), Integer::doubleValue)).isEmpty();
	}

	/** The first round is a warm-up. */
	private static Rounds<String, Integer> rounds(List<Integer> mine, List<Integer> baseline) throws Exception {
		Map<String, Iterator<Integer>> figures = Map.of("mine", mine.iterator(), "baseline", baseline.iterator());
		return Rounds.run("a test", new Effort(1, mine.size() - 1, Duration.ZERO), List.of("mine", "baseline"),
				(candidate) -> figures.get(candidate).next());
	}

}
