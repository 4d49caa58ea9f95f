package io.github.lockstarter.registry.lease;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.registry.observe.RegistryObserver;
import io.github.lockstarter.registry.runtime.EngineRuntime;
import io.github.lockstarter.store.LockStore.Renewal;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.StoredResult;

/**
 * The lock that a lease is on.
 */
public interface LeasedLock {

	LockKey key();

	RegistryObserver observer();

	EngineRuntime runtime();

	/**
	 * Passes on the lock of a lease that has ended, or its result.
	 * @param blocking whether this may block until the store has answered
	 */
	void release(StoreLease ended, @Nullable StoredResult result, boolean blocking);

	/** Ends the lease that is held in the turn, if any. */
	void lose(Turn turn, String why);

	/** Returns the lock in the store, if that joins transactions. */
	@Nullable StoredLock joinsTransactions();

	/** Returns what to ask the store to keep the lock. */
	Renewal renewal(Turn turn, Duration ttl);

}
