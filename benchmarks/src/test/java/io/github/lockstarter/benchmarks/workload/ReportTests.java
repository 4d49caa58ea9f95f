package io.github.lockstarter.benchmarks.workload;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ReportTests {

	private final Report report = new Report("a test", "8");

	@Test
	@DisplayName("A missed goal is named with its reason, and a goal that was met needs no reason")
	void reasons() {
		this.report.atMost("held lock: bytes of heap", 500, 501);
		this.report.atMost("rejected, holder in this instance: µs", 0.2, 0.2);
		assertThat(this.report.toString())
			.contains("| held lock: bytes of heap | ≤ 500 | 501 | **no** |",
					"### Why goals are missed\n\n- **Heap per held lock:** ")
			.doesNotContain("- **Rejected");
	}

	@Test
	@DisplayName("When all goals are met, there are no reasons")
	void allReached() {
		this.report.atMost("held lock: bytes of heap", 500, 500);
		assertThat(this.report.toString()).contains("| yes |").doesNotContain("Why goals are missed");
	}

	@Test
	@DisplayName("A goal that is missed for an unknown reason is named as well")
	void unknown() {
		this.report.atMost("something new", 1, 2);
		assertThat(this.report.toString()).contains("- **something new:** no reason is known.");
	}

}
