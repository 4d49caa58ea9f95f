package io.github.lockstarter.store.dynamodb;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;

import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

import io.github.lockstarter.store.AcquireResult.Held;

/**
 * When leases end, as one of several clocks sees it that differ by at most the clock
 * skew. All times are in milliseconds since 1970.
 *
 * @param clock the clock of this application
 * @param skew by how much clocks may differ
 */
record LeaseClock(InstantSource clock, Duration skew) {

	long now() {
		return this.clock.millis();
	}

	/** Returns when a lease ends that begins now. */
	long expiry(Duration ttl) {
		return now() + millis(ttl);
	}

	/** Returns when a lease must have ended that has ended on all clocks. */
	long freeBefore() {
		return now() - millis(this.skew);
	}

	boolean isHeld(Map<String, AttributeValue> lock) {
		return lock.containsKey(Items.HOLDER) && Items.number(lock, Items.EXPIRY) >= freeBefore();
	}

	/** No caller may take the lock before it has ended on all clocks. */
	Held held(Map<String, AttributeValue> lock) {
		long free = Items.number(lock, Items.EXPIRY) + millis(this.skew) + 1;
		return new Held(Duration.ofMillis(free - now()), Items.number(lock, Items.FENCE));
	}

	private static long millis(Duration duration) {
		return duration.plusNanos(999_999).toMillis();
	}

}
