package io.github.lockstarter.sample;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import io.github.lockstarter.test.AutoConfigureLocks;
import io.github.lockstarter.test.OtherHolder;
import io.github.lockstarter.test.TestLockRegistry;

import static io.github.lockstarter.test.LockAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * An example of a controller test in which the annotations work, with locks in memory.
 */
@WebMvcTest(OrderController.class)
@AutoConfigureLocks
class OrderControllerTests {

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private TestLockRegistry locks;

	@Test
	@DisplayName("While an order is processed, the same order is rejected with 409 and problem details")
	void rejects() {
		OtherHolder other = this.locks.heldElsewhere("orders:1");
		assertThat(place("1")).hasStatus(HttpStatus.CONFLICT)
			.hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
			.containsHeader(HttpHeaders.RETRY_AFTER)
			.bodyJson()
			.extractingPath("$.type")
			.asString()
			.endsWith("/request-in-progress");
		assertThat(place("2")).hasStatus(HttpStatus.CREATED);
		other.close();
		assertThat(place("1")).hasStatus(HttpStatus.CREATED);
		assertThat(this.locks).isFree("orders:1");
	}

	private MvcTestResult place(String key) {
		return this.mvc.post()
			.uri("/orders")
			.header("Idempotency-Key", key)
			.contentType(MediaType.APPLICATION_JSON)
			.content("{\"item\":\"tea\",\"quantity\":2}")
			.exchange();
	}

}
