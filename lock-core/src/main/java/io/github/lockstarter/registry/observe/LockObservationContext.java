package io.github.lockstarter.registry.observe;

import java.time.Duration;

import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;

/**
 * The context of an observation of a lock. An attempt to acquire a lock is observed as
 * {@value #ACQUIRE}, and a lease as {@value #HOLD}, unless a
 * {@link LockObservationConvention} sets other names.
 */
public final class LockObservationContext extends Observation.Context {

	/** The observation of an attempt, from the call to the answer. */
	public static final String ACQUIRE = "lock.acquire";

	/** The observation of a lease, from the grant to the release or the loss. */
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
	 * Returns whether a lease is observed, rather than an attempt to acquire one.
	 * @return {@code true} for a lease, {@code false} for an attempt
	 */
	public boolean isHold() {
		return this.hold;
	}

	/**
	 * Returns the HTTP request that needs the lock, as in {@code POST /users/{id}}.
	 * @return the request, or {@code null} if it is unknown or there is none
	 */
	public @Nullable String request() {
		return this.request;
	}

	/**
	 * Sets the HTTP request that needs the lock.
	 * @param request the method and the path pattern
	 */
	public void request(@Nullable String request) {
		this.request = request;
	}

	/**
	 * Returns the time that a completed attempt waited for another holder.
	 * @return the time, or {@code null} if it did not wait
	 */
	public @Nullable Duration waited() {
		return this.waited;
	}

	/**
	 * Returns the outcome of an attempt or a lease.
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
