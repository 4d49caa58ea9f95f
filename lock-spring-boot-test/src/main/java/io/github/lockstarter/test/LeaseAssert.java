package io.github.lockstarter.test;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.Lease;

/**
 * Assertions on a {@link Lease}.
 */
public final class LeaseAssert extends AbstractAssert<LeaseAssert, Lease> {

	/**
	 * A loss is notified at once, but on another thread of a machine that may be busy.
	 */
	private static final Duration NOTIFICATION = Duration.ofSeconds(5);

	LeaseAssert(@Nullable Lease actual) {
		super(actual, LeaseAssert.class);
	}

	/**
	 * Verifies that the lease is held.
	 */
	public LeaseAssert isHeld() {
		if (!lease().isHeld()) {
			throw failure("Expecting the lease of lock %s, with fencing token %d, to be held, but it has ended", lock(),
					lease().fencingToken());
		}
		return this;
	}

	/**
	 * Verifies that the lease has ended: it was released or lost.
	 */
	public LeaseAssert isNotHeld() {
		if (lease().isHeld()) {
			throw failure(
					"Expecting the lease of lock %s, with fencing token %d, to have ended, but it is held for %d ms",
					lock(), lease().fencingToken(), lease().remaining().toMillis());
		}
		return this;
	}

	/**
	 * Verifies that the lease was lost: it ended before it was released.
	 */
	public LeaseAssert isLost() {
		isNotHeld();
		CountDownLatch lost = new CountDownLatch(1);
		lease().onLost(lost::countDown);
		if (!isNotified(lost)) {
			throw failure(
					"Expecting the lease of lock %s, with fencing token %d, to be lost, but it was released by its holder",
					lock(), lease().fencingToken());
		}
		return this;
	}

	private static boolean isNotified(CountDownLatch lost) {
		try {
			return lost.await(NOTIFICATION.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	/**
	 * Verifies that the lease was granted after another one of the same lock.
	 * @param other the other lease
	 */
	public LeaseAssert hasFencingTokenGreaterThan(Lease other) {
		return hasFencingTokenGreaterThan(other.fencingToken());
	}

	/**
	 * Verifies that the fencing token is greater than another one.
	 * @param other the other fencing token
	 */
	public LeaseAssert hasFencingTokenGreaterThan(long other) {
		if (lease().fencingToken() <= other) {
			throw failure("Expecting the lease of lock %s to have a fencing token greater than %d, but it is %d",
					lock(), other, lease().fencingToken());
		}
		return this;
	}

	private String lock() {
		return TestLockRegistry.text(lease().key());
	}

	private Lease lease() {
		isNotNull();
		return this.actual;
	}

}
