package io.github.lockstarter.test;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import io.github.lockstarter.Lease;

import static io.github.lockstarter.test.LockAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class LockAssertionsTests {

	@AutoClose
	private final TestLockRegistry locks = new TestLockRegistry();

	@Test
	@DisplayName("A lock is held, by the code under test or elsewhere, or free")
	void heldOrFree() {
		this.locks.acquire("orders:1");
		this.locks.heldElsewhere("report");
		assertThat(this.locks).isHeld("orders:1").isHeld("report").isFree("orders:2");
	}

	@Test
	@DisplayName("The failure of isHeld lists the held locks")
	void notHeld() {
		assertFails(() -> assertThat(this.locks).isHeld("orders:1"),
				"Expecting lock orders:1 to be held, but it is free. The code under test holds no lock");
		this.locks.acquire("orders:100%d");
		assertFails(() -> assertThat(this.locks).isHeld("order:1"),
				"Expecting lock order:1 to be held, but it is free. The code under test holds orders:100%d");
	}

	@Test
	@DisplayName("The failure of isFree names the holder of the lock")
	void notFree() {
		Lease lease = this.locks.acquire("orders:1");
		assertFails(() -> assertThat(this.locks).isFree("orders:1"),
				"Expecting lock orders:1 to be free, but it is held by the code under test, with fencing token "
						+ lease.fencingToken());
		this.locks.heldElsewhere("report");
		assertFails(() -> assertThat(this.locks).isFree("report"),
				"Expecting lock report to be free, but it is held, but not by the code under test");
	}

	@Test
	@DisplayName("The waiters of a lock are counted")
	void waiters() {
		this.locks.heldElsewhere("orders:1");
		assertThat(this.locks).hasWaiters("orders:1", 0);
		assertFails(() -> assertThat(this.locks).hasWaiters("orders:1", 2),
				"Expecting lock orders:1 to have 2 waiters, but it has 0, and is held, but not by the code under test");
	}

	@Test
	@DisplayName("A lease is held until it is released, and a release is no loss")
	void released() {
		Lease lease = this.locks.acquire("orders:1");
		String described = "Expecting the lease of lock orders:1, with fencing token %d, "
			.formatted(lease.fencingToken());
		assertThat(lease).isHeld();
		assertFails(() -> assertThat(lease).isNotHeld(), described + "to have ended, but it is held for ");
		assertFails(() -> assertThat(lease).isLost(), "to have ended, but it is held for ");
		lease.close();
		assertThat(lease).isNotHeld();
		assertFails(() -> assertThat(lease).isHeld(), described + "to be held, but it has ended");
		assertFails(() -> assertThat(lease).isLost(), described + "to be lost, but it was released by its holder");
	}

	@Test
	@DisplayName("A lost lease stays lost after its release")
	void lost() {
		Lease lease = this.locks.acquire("orders:1");
		this.locks.lose("orders:1");
		assertThat(lease).isNotHeld().isLost();
		lease.close();
		assertThat(lease).isLost();
	}

	@Test
	@DisplayName("The fencing token of a later lease is greater")
	void fencingTokens() {
		Lease first = this.locks.acquire("orders:1");
		first.close();
		Lease second = this.locks.acquire("orders:1");
		assertThat(second).hasFencingTokenGreaterThan(first).hasFencingTokenGreaterThan(first.fencingToken());
		assertFails(() -> assertThat(first).hasFencingTokenGreaterThan(second),
				"Expecting the lease of lock orders:1 to have a fencing token greater than %d, but it is %d"
					.formatted(second.fencingToken(), first.fencingToken()));
		assertFails(() -> assertThat(first).hasFencingTokenGreaterThan(first), "greater than");
	}

	@Test
	@DisplayName("A description precedes the message")
	void description() {
		assertFails(() -> assertThat(this.locks).as("the order").isHeld("orders:1"), "[the order] Expecting lock");
	}

	@Test
	@DisplayName("An assertion about null fails")
	void nothing() {
		assertFails(() -> assertThat((TestLockRegistry) null).isFree("orders:1"), "not to be null");
		assertFails(() -> assertThat((Lease) null).isHeld(), "not to be null");
	}

	@Test
	@DisplayName("A blank name is an invalid argument, not an assertion failure")
	void blank() {
		assertThatIllegalArgumentException().isThrownBy(() -> assertThat(this.locks).isFree(" "))
			.withMessage("The name of a lock must not be blank");
	}

	private static void assertFails(ThrowingCallable assertion, String message) {
		assertThatThrownBy(assertion).isInstanceOf(AssertionError.class).hasMessageContaining(message);
	}

}
