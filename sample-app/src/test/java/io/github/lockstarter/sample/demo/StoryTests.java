package io.github.lockstarter.sample.demo;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

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

	private static String story(int users, Map<String, Long> statuses) {
		return new Story(left, new LaneTimeline(Policy.REJECT, 4, users, users, statuses, List.of()), true).ofRun();
	}

}
