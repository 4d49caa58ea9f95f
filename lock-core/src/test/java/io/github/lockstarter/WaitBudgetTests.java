package io.github.lockstarter;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class WaitBudgetTests {

	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(10));

	private final WaitBudget budget = new WaitBudget();

	@Test
	@DisplayName("The first acquisition gets the whole wait time, and later ones what is left of it")
	void left() {
		LockOptions options = OPTIONS.withWaitTime(Duration.ofHours(1));
		assertThat(this.budget.next(options)).isSameAs(options);
		assertThat(this.budget.next(options).waitTime()).isLessThan(Duration.ofHours(1))
			.isGreaterThan(Duration.ofMinutes(30));
	}

	@Test
	@DisplayName("A caller whose wait time is over may still wait for a millisecond")
	void over() {
		LockOptions options = OPTIONS.withWaitTime(Duration.ofMillis(2));
		this.budget.next(options);
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.budget.next(options).waitTime()).isEqualTo(Duration.ofMillis(1)));
	}

	@Test
	@DisplayName("A caller that does not wait never begins to")
	void none() {
		this.budget.next(OPTIONS);
		assertThat(this.budget.next(OPTIONS)).isSameAs(OPTIONS);
	}

}
