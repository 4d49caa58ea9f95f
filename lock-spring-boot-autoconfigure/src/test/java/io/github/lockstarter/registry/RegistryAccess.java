package io.github.lockstarter.registry;

/**
 * What a test may see of a registry from another package.
 */
public final class RegistryAccess {

	private RegistryAccess() {
	}

	/** Returns whether nobody holds a lock, or waits for one. */
	public static boolean isUnused(DefaultLockRegistry registry) {
		return registry.table().isEmpty();
	}

}
