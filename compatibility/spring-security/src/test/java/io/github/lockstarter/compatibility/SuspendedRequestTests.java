package io.github.lockstarter.compatibility;

import org.junit.jupiter.api.Nested;

/**
 * Requests that free their thread while they wait for their lock.
 */
class SuspendedRequestTests {

	private static final String WAITING = "lock.web.waiting=suspended";

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

	}

}
