package io.github.lockstarter.sample;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.testing.TestServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two instances of the application, each with locks of its own.
 */
@Tag("once")
class LocksInMemoryTests {

	@Test
	@DisplayName("The page lists both instances, but the example, which ends with one user, has one instance")
	void example() throws Exception {
		try (TestServer first = startInstance(); TestServer second = startInstance()) {
			assertThat(first.get("/").body()).contains("Instance B: 127.0.0.1:" + second.port())
				.contains("With the lock: 1 user.", "runs on instance A")
				.doesNotContain("runs on instance B");
		}
	}

	@Test
	@DisplayName("The page says which instance has its locks in another store")
	void otherStore() throws Exception {
		try (TestServer first = startInstance(); TestServer second = startInstance("lock.store=jdbc")) {
			String problem = "Its locks are in another store: --lock.store=";
			assertThat(first.get("/").body()).contains(problem + "jdbc").doesNotContain(problem + "memory");
			assertThat(second.get("/").body()).contains(problem + "memory").doesNotContain(problem + "jdbc");
		}
	}

	@Test
	@DisplayName("No instance is offered to be killed, because none can take over a lock")
	void noKill() throws Exception {
		try (TestServer first = startInstance(); TestServer second = startInstance()) {
			assertThat(first.get("/").body()).contains("Instance B").doesNotContain("may kill", "Kill instance");
			assertThat(first.post("/runs?kill=true").body()).contains("Each instance has locks of its own");
		}
	}

	private static TestServer startInstance() {
		return startInstance("lock.store=memory");
	}

	private static TestServer startInstance(String store) {
		return TestServer.start(new Class<?>[] { SampleApplication.class }, store,
				"spring.datasource.url=jdbc:h2:mem:locks-in-memory;DB_CLOSE_DELAY=-1");
	}

}
