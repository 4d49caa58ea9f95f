package io.github.lockstarter.test;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.Lease;

/**
 * AssertJ's {@code assertThat} for locks and leases. It can be imported together with
 * that of AssertJ.
 */
public final class LockAssertions {

	private LockAssertions() {
	}

	/**
	 * Begins an assertion on locks.
	 * @param actual the registry with the locks
	 */
	public static TestLockRegistryAssert assertThat(@Nullable TestLockRegistry actual) {
		return new TestLockRegistryAssert(actual);
	}

	/**
	 * Begins an assertion on a lease.
	 * @param actual the lease
	 */
	public static LeaseAssert assertThat(@Nullable Lease actual) {
		return new LeaseAssert(actual);
	}

}
