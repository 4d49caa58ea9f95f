package io.github.lockstarter.registry;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;

/**
 * Gives tests in other packages access to a registry.
 */
public final class RegistryAccess {

	private RegistryAccess() {
	}

	/** Returns whether no lock has a holder or a waiter. */
	public static boolean isUnused(DefaultLockRegistry registry) {
		return registry.entries().snapshots().findAny().isEmpty();
	}

	/**
	 * Returns the lease of a lock if it has been held here for longer than the given
	 * time.
	 */
	public static Optional<Lease> leaseOlderThan(DefaultLockRegistry registry, LockKey key, long nanos) {
		return registry.entries().lease(key).filter((lease) -> lease.age() > nanos).map((lease) -> lease);
	}

	/** Releases all locks, without waiting for the releases. */
	public static CompletableFuture<Void> releaseAll(DefaultLockRegistry registry) {
		return registry.releaseAll();
	}

}
