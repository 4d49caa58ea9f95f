package io.github.lockstarter.test;

import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;

/**
 * Assertions on the locks of a {@link TestLockRegistry}. A lock is written as its name,
 * or its name and key as in {@code "orders:1"}.
 */
public final class TestLockRegistryAssert extends AbstractAssert<TestLockRegistryAssert, TestLockRegistry> {

	TestLockRegistryAssert(@Nullable TestLockRegistry actual) {
		super(actual, TestLockRegistryAssert.class);
	}

	/**
	 * Verifies that the lock is held, by the code under test or elsewhere.
	 * @param lock the lock
	 */
	public TestLockRegistryAssert isHeld(String lock) {
		if (!locks().isHeld(lock)) {
			throw failure("Expecting lock %s to be held, but it is free. %s", lock, locks().locksHeldHere());
		}
		return this;
	}

	/**
	 * Verifies that the lock is free.
	 * @param lock the lock
	 */
	public TestLockRegistryAssert isFree(String lock) {
		if (locks().isHeld(lock)) {
			throw failure("Expecting lock %s to be free, but it is %s", lock, locks().state(LockKey.of(lock)));
		}
		return this;
	}

	/**
	 * Verifies the number of callers that wait for the lock.
	 * @param lock the lock
	 * @param expected the expected number
	 */
	public TestLockRegistryAssert hasWaiters(String lock, int expected) {
		int waiters = locks().waiters(lock);
		if (waiters != expected) {
			throw failureWithActualExpected(waiters, expected,
					"Expecting lock %s to have %d waiters, but it has %d, and is %s", lock, expected, waiters,
					locks().state(LockKey.of(lock)));
		}
		return this;
	}

	private TestLockRegistry locks() {
		isNotNull();
		return this.actual;
	}

}
