package io.github.lockstarter.test.example;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import io.github.lockstarter.Lease;
import io.github.lockstarter.test.AutoConfigureLocks;
import io.github.lockstarter.test.TestLockRegistry;

import static io.github.lockstarter.test.LockAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each repetition leaves locks behind that would make the next one fail, in the
 * application context that they share.
 */
@WebMvcTest(OrderController.class)
@AutoConfigureLocks
class ResetBetweenTestsTests {

	/** Leases of earlier repetitions. */
	private static Lease last;

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private TestLockRegistry locks;

	@BeforeEach
	void isReset() {
		assertThat(this.locks).isFree("orders:1").isFree("orders:2").isFree("orders:3");
	}

	@RepeatedTest(3)
	@DisplayName("No leases, holders elsewhere, stored results or failures of one test are left in the next")
	void leavesAllBehind() {
		assertThat(place("1")).hasStatus(201).doesNotContainHeader("Idempotent-Replayed");
		assertThat(place("1")).hasStatus(201).containsHeader("Idempotent-Replayed");
		this.locks.heldElsewhere("orders:2");
		Lease lease = this.locks.acquire("orders:3");
		if (last != null) {
			assertThat(last).isNotHeld();
			assertThat(lease).hasFencingTokenGreaterThan(last);
		}
		last = lease;
		this.locks.failStore();
		assertThat(place("4")).hasStatus(503);
	}

	private MvcTestResult place(String order) {
		return this.mvc.post().uri("/orders").header("Idempotency-Key", order).exchange();
	}

}
