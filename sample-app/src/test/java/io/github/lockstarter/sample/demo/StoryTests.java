package io.github.lockstarter.sample.demo;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.sample.demo.Bar.State;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The sentence above the bars.
 */
@Tag("once")
class StoryTests {

	private static final LaneTimeline left = new LaneTimeline(Policy.UNGUARDED, 4, 4, 4, Map.of("201", 4L), List.of());

	@Test
	@DisplayName("A run compares the number of users without and with the lock")
	void verdict() {
		assertThat(story(1, Map.of("201", 1L, "409", 3L)))
			.isEqualTo("Without a lock: 4 users with the same name. With the lock: 1 user.");
	}

	@Test
	@DisplayName("If the lock store failed, the story says how many requests did not run")
	void storeFailed() {
		assertThat(story(0, Map.of("503", 4L)))
			.endsWith("With the lock: no user. The lock store failed, so 4 of the requests did not run.");
	}

	@Test
	@DisplayName("A killed payment is told as it was: under way, without a response, with one, or not killed")
	void payment() {
		assertThat(payment(new CompletableFuture<>(), State.RUNNING, 1, false)).isEqualTo(
				"Instance B makes a payment on both sides. It will be killed after the commit, before it responds.");
		CompletableFuture<Kill.Outcome> killed = CompletableFuture.completedFuture(Kill.Outcome.killed());
		assertThat(payment(killed, State.KILLED, 1, false))
			.contains("the client has no response. The client sends both");
		assertThat(payment(killed, State.KILLED, 2, true))
			.endsWith("The client sent both again. Locks in Redis: 2 payments. Locks in the database: 1 payment.");
		assertThat(payment(killed, State.PAID, 1, true)).contains(", but had responded. Locks in Redis: 1 payment.");
		assertThat(payment(CompletableFuture.completedFuture(Kill.Outcome.failed("it did not make both payments")),
				State.FAILED, 0, true))
			.startsWith("Instance B was not killed: it did not make both payments. Locks in Redis: 0 payments.");
	}

	private static String payment(CompletableFuture<Kill.Outcome> outcome, State first, int inRedis, boolean over) {
		Instance own = new Instance("http://127.0.0.1:8080", "an-id", true, "redis");
		Instance other = new Instance("http://127.0.0.1:8081", "an-id", true, "redis");
		Run run = new Run(Instant.now(), true, List.of(own, other), Lane.of(Policy.PAYMENT, 2),
				Lane.of(Policy.PAYMENT_IN_DATABASE, 2), new Kill(other, outcome), new CompletableFuture<>());
		return new Story(lane(Policy.PAYMENT, inRedis, first), lane(Policy.PAYMENT_IN_DATABASE, 1, first), over).of(run,
				Duration.ofSeconds(3));
	}

	private static LaneTimeline lane(Policy policy, int rows, State first) {
		return new LaneTimeline(policy, 2, rows, rows, Map.of(),
				List.of(new Bar(1, "B", first, 0, 0, 0, 0, 1, true, "")));
	}

	private static String story(int users, Map<String, Long> statuses) {
		return new Story(left, new LaneTimeline(Policy.REJECT, 4, users, users, statuses, List.of()), true).ofRun();
	}

}
