package io.github.lockstarter.sample;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockRegistry;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An example of a test of the whole application, with locks in memory.
 */
@SpringBootTest(properties = { "lock.store=memory", "spring.datasource.url=jdbc:h2:mem:in-memory",
		"sample.points.latency=0ms" })
@AutoConfigureMockMvc
class RegistrationInMemoryTests {

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private LockRegistry locks;

	@Test
	@DisplayName("While a name is registered, another request for it is rejected, and a later one succeeds")
	void rejects() {
		try (Lease other = this.locks.acquire("registration:taro")) {
			assertThat(this.mvc.post().uri("/users?userName=taro")).hasStatus(HttpStatus.CONFLICT);
			assertThat(this.mvc.post().uri("/users?userName=jiro")).hasStatus(HttpStatus.CREATED);
			assertThat(other.isHeld()).isTrue();
		}
		assertThat(this.mvc.post().uri("/users?userName=taro")).hasStatus(HttpStatus.CREATED);
	}

	@Test
	@DisplayName("The page shows the lock store, and the other stores")
	void lockPlaces() {
		assertThat(this.mvc.get().uri("/")).bodyText()
			.contains("The memory of each instance</span><strong> (in use)", "--lock.store=jdbc", "--lock.store=redis")
			.containsOnlyOnce("(in use)");
	}

}
