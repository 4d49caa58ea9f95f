package io.github.lockstarter.compatibility;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests that wait for their lock on their thread.
 */
class WaitingRequestTests {

	private static final String WAITING = "lock.web.waiting=thread";

	@Nested
	class Callers extends CallerContract {

		Callers() {
			super(WAITING);
		}

	}

	@Nested
	class Filters extends FilterContract {

		Filters() {
			super(WAITING);
		}

		@Test
		@DisplayName("The user whom a filter has set only for the thread is the principal of the key")
		void userOfThread() throws Exception {
			assertThat(contended("/user/own", "alice").body()).asString(StandardCharsets.UTF_8).isEqualTo("alice");
		}

		@ParameterizedTest
		@CsvSource({ "/tenant, blue null", "/mdc, null blue" })
		@DisplayName("What a filter has stored for its thread is there after a wait")
		void stored(String filter, String expected) throws Exception {
			assertThat(contended(filter + "/thread", "held" + filter).body()).asString(StandardCharsets.UTF_8)
				.isEqualTo(expected);
		}

	}

}
