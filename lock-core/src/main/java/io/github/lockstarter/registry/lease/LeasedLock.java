package io.github.lockstarter.registry.lease;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.registry.observe.RegistryObserver;
import io.github.lockstarter.registry.runtime.EngineRuntime;
import io.github.lockstarter.store.LockStore.Renewal;
import io.github.lockstarter.store.ReactiveTransactionalStoredLock;
import io.github.lockstarter.store.StoredResult;
import io.github.lockstarter.store.TransactionalStoredLock;

/**
 * The lock of a lease.
 */
public interface LeasedLock {

	LockKey key();

	RegistryObserver observer();

	EngineRuntime runtime();

	/**
	 * Hands off or releases the lock of a lease that has ended, and passes on its result.
	 * @param blocking whether this may block until the store has answered
	 */
	void release(StoreLease ended, @Nullable StoredResult result, boolean blocking);

	/** Ends the current lease of the turn as lost, if there is one. */
	void lose(Turn turn, String why);

	/** Returns the lock in the store, if that joins transactions of the application. */
	@Nullable TransactionalStoredLock transactional();

	/**
	 * Returns the lock in the store, if that joins reactive transactions of the
	 * application.
	 */
	@Nullable ReactiveTransactionalStoredLock reactiveTransactional();

	/** Returns the renewal to send to the store. */
	Renewal renewal(Turn turn, Duration ttl);

}
