package io.github.lockstarter.store;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * The stores of an application: one for all locks, or several, of which the name of a
 * lock chooses one. Each store has a name, which health and metrics show.
 */
public final class LockStores {

	/** The name of a store that is not built in. */
	public static final String OWN = "own";

	/** The stores by their names, the default one first. */
	private final Map<String, LockStore> stores;

	private final String defaultName;

	private final LockStore defaultStore;

	private final Function<String, @Nullable String> chosen;

	/**
	 * Creates stores.
	 * @param defaultName the name of the default store
	 * @param defaultStore the store of all locks that choose none
	 * @param others the other stores by their names
	 * @param chosen returns the name of the store that a lock chooses by its name, or
	 * {@code null}. It always returns the same one
	 */
	public LockStores(String defaultName, LockStore defaultStore, Map<String, LockStore> others,
			Function<String, @Nullable String> chosen) {
		Assert.isTrue(!others.containsKey(defaultName),
				() -> "There are two stores with the name '%s'".formatted(defaultName));
		Map<String, LockStore> stores = new LinkedHashMap<>();
		stores.put(defaultName, defaultStore);
		stores.putAll(others);
		this.stores = Collections.unmodifiableMap(stores);
		this.defaultName = defaultName;
		this.defaultStore = defaultStore;
		this.chosen = chosen;
	}

	/** Returns one store for all locks. */
	public static LockStores of(LockStore store) {
		return new LockStores(OWN, store, Map.of(), (lockName) -> null);
	}

	/**
	 * Returns the store of the locks with a name.
	 * @param lockName the name of the locks
	 */
	public LockStore of(String lockName) {
		return areSeveral() ? this.stores.getOrDefault(nameOf(lockName), this.defaultStore) : this.defaultStore;
	}

	/**
	 * Returns the name of the store of the locks with a name.
	 * @param lockName the name of the locks
	 * @throws IllegalStateException if they choose a store that does not exist
	 */
	public String nameOf(String lockName) {
		String name = areSeveral() ? this.chosen.apply(lockName) : null;
		if (name == null) {
			return this.defaultName;
		}
		Assert.state(this.stores.containsKey(name), () -> "Lock '%s' chooses the store '%s', which is none of %s"
			.formatted(lockName, name, this.stores.keySet()));
		return name;
	}

	/** Returns all stores by their names, the default one first. */
	public Map<String, LockStore> byName() {
		return this.stores;
	}

	/** Returns whether there is more than one store. */
	public boolean areSeveral() {
		return this.stores.size() > 1;
	}

}
