package io.github.lockstarter.benchmarks.workload;

import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.benchmarks.workload.Contention.Holding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class HoldingsTests {

	@Test
	@DisplayName("Waits, gaps, moves and fairness are computed from the holdings of all processes")
	void figures() {
		Holdings holdings = Holdings.of(List.of(List.of(holding(0, 0, 10, 20), holding(0, 20, 80, 90)),
				List.of(holding(1, 0, 25, 35), holding(1, 35, 40, 50))), 2, 0, 1_000_000_000);
		assertThat(holdings.rate()).isEqualTo(4);
		assertThat(holdings.waitTime(100)).isEqualTo(60);
		assertThat(holdings.waitTime(50)).isEqualTo(10);
		assertThat(holdings.gap()).isEqualTo(5);
		assertThat(holdings.moved()).isEqualTo(2 / 3.0);
		assertThat(holdings.moveRate()).isEqualTo(2);
		assertThat(holdings.unfairness()).isEqualTo(1);
	}

	@Test
	@DisplayName("A holding that began after the end counts as a wait, but not as a grant; a thread without a holding was starved")
	void holdingAfterEnd() {
		Holdings holdings = Holdings.of(List.of(List.of(holding(0, 0, 10, 20), holding(1, 0, 150, 160))), 2, 0, 100);
		assertThat(holdings.waitTime(100)).isEqualTo(150);
		assertThat(holdings.unfairness()).isInfinite();
	}

	@Test
	@DisplayName("A measurement in which two threads held the lock at once is rejected")
	void overlap() {
		assertThatIllegalStateException().isThrownBy(
				() -> Holdings.of(List.of(List.of(holding(0, 0, 10, 30)), List.of(holding(1, 0, 20, 40))), 2, 0, 100));
	}

	private static Holding holding(int thread, long wanted, long acquired, long released) {
		return new Holding(thread, thread, wanted, acquired, released);
	}

}
