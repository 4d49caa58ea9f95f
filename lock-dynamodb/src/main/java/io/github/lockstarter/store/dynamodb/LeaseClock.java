package io.github.lockstarter.store.dynamodb;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;

import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

import org.springframework.util.Assert;

import io.github.lockstarter.store.AcquireResult.Held;

/**
 * Computes the end of leases with one of several clocks that differ by at most the clock
 * skew. All times are in milliseconds since 1970.
 *
 * @param clock the clock of this application
 * @param skew the largest difference between clocks, which is not negative
 */
record LeaseClock(InstantSource clock, Duration skew) {

	LeaseClock {
		Assert.isTrue(!skew.isNegative(), "The clock skew must not be negative");
	}

	long now() {
		return this.clock.millis();
	}

	/** Returns the end of a lease that begins now. */
	long expiry(Duration ttl) {
		return now() + millis(ttl);
	}

	/**
	 * Returns the time before which a lease must have ended to have ended on all clocks.
	 */
	long freeBefore() {
		return now() - millis(this.skew);
	}

	boolean isHeld(Map<String, AttributeValue> lock) {
		return lock.containsKey(Items.HOLDER) && Items.number(lock, Items.EXPIRY) >= freeBefore();
	}

	/**
	 * Returns the holder. The lock is not free before its lease has ended on all clocks.
	 */
	Held held(Map<String, AttributeValue> lock) {
		long free = Items.number(lock, Items.EXPIRY) + millis(this.skew) + 1;
		return new Held(Duration.ofMillis(free - now()), Items.number(lock, Items.FENCE));
	}

	private static long millis(Duration duration) {
		return duration.plusNanos(999_999).toMillis();
	}

}
