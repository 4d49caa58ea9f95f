package io.github.lockstarter.registry;

import java.util.concurrent.CompletableFuture;

/**
 * What a test may see of a registry from another package.
 */
public final class RegistryAccess {

	private RegistryAccess() {
	}

	/** Returns whether no lock has a holder or a waiter. */
	public static boolean isUnused(DefaultLockRegistry registry) {
		return registry.table().isEmpty();
	}

	/** Releases all locks without waiting for it. */
	public static CompletableFuture<Void> releaseAll(DefaultLockRegistry registry) {
		return registry.releaseAll();
	}

}
