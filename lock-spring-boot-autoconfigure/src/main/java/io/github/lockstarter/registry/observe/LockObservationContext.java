package io.github.lockstarter.registry.observe;

import java.time.Duration;

import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;

/**
 * What is known of an observation of a lock: of an attempt to get it, which is named
 * {@value #ACQUIRE}, or of a lease on it, {@value #HOLD}, unless a
 * {@link LockObservationConvention} names them otherwise.
 */
public final class LockObservationContext extends Observation.Context {

	/** From the question to the answer. */
	public static final String ACQUIRE = "lock.acquire";

	/** From the grant to the release or the loss. */
	public static final String HOLD = "lock.hold";

	private final LockKey key;

	private final boolean hold;

	private volatile @Nullable String request;

	private volatile @Nullable Duration waited;

	private volatile @Nullable Event outcome;

	private LockObservationContext(LockKey key, boolean hold, @Nullable String request) {
		this.key = key;
		this.hold = hold;
		this.request = request;
	}

	/** Returns the context of an attempt. */
	static LockObservationContext ofAttempt(LockKey key) {
		return new LockObservationContext(key, false, null);
	}

	/** Returns the context of a lease that an attempt was granted. */
	static LockObservationContext ofLease(LockObservationContext attempt) {
		LockObservationContext lease = new LockObservationContext(attempt.key, true, attempt.request);
		lease.setParentObservation(attempt.getParentObservation());
		return lease;
	}

	/**
	 * Returns the lock.
	 * @return the lock
	 */
	public LockKey key() {
		return this.key;
	}

	/**
	 * Returns whether a lease is observed, and not an attempt to get one.
	 * @return whether it is
	 */
	public boolean isHold() {
		return this.hold;
	}

	/**
	 * Returns the request that asks for the lock, as in {@code POST /users/{id}}.
	 * @return the request, or {@code null} if it is unknown, or it is none
	 */
	public @Nullable String request() {
		return this.request;
	}

	/**
	 * Names the request that asks for the lock.
	 * @param request the method, and the path as mapped
	 */
	public void request(@Nullable String request) {
		this.request = request;
	}

	/**
	 * Returns how long an attempt that has ended waited for another holder.
	 * @return the time, or {@code null} if it did not wait
	 */
	public @Nullable Duration waited() {
		return this.waited;
	}

	/**
	 * Returns how an attempt or a lease has ended.
	 * @return the outcome, or {@code null} before the end
	 */
	public @Nullable Event outcome() {
		return this.outcome;
	}

	void setOutcome(Event outcome) {
		this.outcome = outcome;
	}

	void setWaited(@Nullable Duration waited) {
		this.waited = waited;
	}

}
