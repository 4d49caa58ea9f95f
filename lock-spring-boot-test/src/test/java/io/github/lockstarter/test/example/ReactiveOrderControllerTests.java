package io.github.lockstarter.test.example;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webflux.test.autoconfigure.WebFluxTest;
import org.springframework.test.web.reactive.server.StatusAssertions;
import org.springframework.test.web.reactive.server.WebTestClient;

import io.github.lockstarter.test.AutoConfigureLocks;
import io.github.lockstarter.test.OtherHolder;
import io.github.lockstarter.test.TestLockRegistry;

/**
 * A slice test of an application with Spring WebFlux.
 */
@WebFluxTest(OrderController.class)
@AutoConfigureLocks
class ReactiveOrderControllerTests {

	@Autowired
	private WebTestClient client;

	@Autowired
	private TestLockRegistry locks;

	@Test
	@DisplayName("In a WebFlux slice test, a lock can be held elsewhere and the store can fail, and both can be ended")
	void isControlled() {
		OtherHolder other = this.locks.heldElsewhere("orders:1");
		place().isEqualTo(409).expectHeader().valueEquals("Retry-After", 10);
		this.locks.failStore();
		place().isEqualTo(503);
		other.close();
		place().isEqualTo(503);
		this.locks.restoreStore();
		place().isEqualTo(201);
	}

	private StatusAssertions place() {
		return this.client.post().uri("/orders").header("Idempotency-Key", "1").exchange().expectStatus();
	}

}
