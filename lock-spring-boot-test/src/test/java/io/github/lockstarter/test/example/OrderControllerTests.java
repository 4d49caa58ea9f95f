package io.github.lockstarter.test.example;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MockMvcTester.MockMvcRequestBuilder;

import io.github.lockstarter.test.AutoConfigureLocks;
import io.github.lockstarter.test.OtherHolder;
import io.github.lockstarter.test.TestLockRegistry;

import static io.github.lockstarter.test.LockAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

@WebMvcTest(OrderController.class)
@AutoConfigureLocks
class OrderControllerTests {

	@Autowired
	MockMvcTester mvc;

	@Autowired
	TestLockRegistry locks;

	@Test
	@DisplayName("While another instance processes an order, the same order is rejected")
	void rejectsTheSameOrderMeanwhile() {
		OtherHolder other = this.locks.heldElsewhere("orders:1");
		assertThat(place("1")).hasStatus(HttpStatus.CONFLICT)
			.hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
			.bodyJson()
			.extractingPath("$.type")
			.asString()
			.endsWith("/request-in-progress");
		other.close();
		assertThat(place("1")).hasStatus(HttpStatus.CREATED);
		assertThat(this.locks).isFree("orders:1");
	}

	@Test
	@DisplayName("While the store is unavailable, an order is not accepted")
	void respondsWithoutAStore() {
		this.locks.failStore();
		assertThat(place("1")).hasStatus(HttpStatus.SERVICE_UNAVAILABLE);
		this.locks.restoreStore();
		assertThat(place("1")).hasStatus(HttpStatus.CREATED);
	}

	private MockMvcRequestBuilder place(String order) {
		return this.mvc.post().uri("/orders").header("Idempotency-Key", order);
	}

}
