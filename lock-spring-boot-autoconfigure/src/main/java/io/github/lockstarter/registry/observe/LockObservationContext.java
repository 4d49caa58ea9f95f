package io.github.lockstarter.registry.observe;

import java.time.Duration;

import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;

/**
 * What is known of an observation of a lock: of an attempt to get it, which is named
 * {@value #ACQUIRE}, or of a lease on it, {@value #HOLD}. Both have the name of the lock,
 * {@code lock}, and how they ended, {@code outcome}, as key values of low cardinality;
 * the key is in none.
 */
public final class LockObservationContext extends Observation.Context {

	/** From the question to the answer. */
	public static final String ACQUIRE = "lock.acquire";

	/** From the grant to the release or the loss. */
	public static final String HOLD = "lock.hold";

	private final LockKey key;

	private volatile @Nullable String request;

	private volatile @Nullable Duration waited;

	LockObservationContext(LockKey key, @Nullable String request) {
		this.key = key;
		this.request = request;
		addLowCardinalityKeyValue(KeyValue.of("lock", key.name()));
	}

	/**
	 * Returns the lock.
	 * @return the lock
	 */
	public LockKey key() {
		return this.key;
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

	void setWaited(@Nullable Duration waited) {
		this.waited = waited;
	}

}
