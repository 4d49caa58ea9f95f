package io.github.lockstarter.benchmarks.workload;

import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.benchmarks.workload.Contention.Turn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class TurnsTests {

	@Test
	@DisplayName("Waits, gaps, moves and fairness are those of the turns, whatever process they are from")
	void figures() {
		Turns turns = Turns.of(List.of(List.of(turn(0, 0, 10, 20), turn(0, 20, 80, 90)),
				List.of(turn(1, 0, 25, 35), turn(1, 35, 40, 50))), 2, 0, 1_000_000_000);
		assertThat(turns.rate()).isEqualTo(4);
		assertThat(turns.waitTime(100)).isEqualTo(60);
		assertThat(turns.waitTime(50)).isEqualTo(10);
		assertThat(turns.gap()).isEqualTo(5);
		assertThat(turns.moved()).isEqualTo(2 / 3.0);
		assertThat(turns.unfairness()).isEqualTo(1);
	}

	@Test
	@DisplayName("A turn that began after the end is a wait, but not a grant; who had none was starved")
	void theEnd() {
		Turns turns = Turns.of(List.of(List.of(turn(0, 0, 10, 20), turn(1, 0, 150, 160))), 2, 0, 100);
		assertThat(turns.waitTime(100)).isEqualTo(150);
		assertThat(turns.unfairness()).isInfinite();
	}

	@Test
	@DisplayName("A lock that two held at once is not measured")
	void overlap() {
		assertThatIllegalStateException()
			.isThrownBy(() -> Turns.of(List.of(List.of(turn(0, 0, 10, 30)), List.of(turn(1, 0, 20, 40))), 2, 0, 100));
	}

	private static Turn turn(int thread, long wanted, long acquired, long released) {
		return new Turn(thread, thread, wanted, acquired, released);
	}

}
