package io.github.lockstarter.registry.entry;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.registry.lease.StoreLease;
import io.github.lockstarter.registry.acquisition.Acquisition;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.LockStores;

/**
 * The entries of each store, so that stores share neither commands nor renewals. The name
 * of a lock decides which of them it belongs to.
 */
public final class LockEntriesByStore {

	private final LockStores stores;

	private final Map<String, LockEntries> byStore = new LinkedHashMap<>();

	/** The entries, if there is only one store. */
	private final @Nullable LockEntries only;

	/**
	 * Creates the entries of all stores.
	 * @param stores the stores of the locks
	 * @param create creates the entries of a store
	 */
	public LockEntriesByStore(LockStores stores, Function<LockStore, LockEntries> create) {
		this.stores = stores;
		stores.byName().forEach((name, store) -> this.byStore.put(name, create.apply(store)));
		this.only = stores.areSeveral() ? null : this.byStore.values().iterator().next();
	}

	private LockEntries entries(LockKey key) {
		return (this.only != null) ? this.only
				: Objects.requireNonNull(this.byStore.get(this.stores.nameOf(key.name())));
	}

	/** Admits the acquisition to the queue of its lock, or answers it. */
	public void submit(Acquisition acquisition) {
		entries(acquisition.key()).submit(acquisition);
	}

	/**
	 * Admits some of the acquisitions of a caller that needs several locks: only such
	 * that are in the store of the first one.
	 * @param acquisitions at least one acquisition, in the order of their keys, none of
	 * them submitted
	 * @return completes with the acquisitions that are answered, or will be; the others
	 * are not submitted, or no longer
	 */
	public CompletableFuture<List<Acquisition>> submitAll(Collection<Acquisition> acquisitions) {
		LockEntries entries = entries(acquisitions.iterator().next().key());
		return entries.submitAll((this.only != null) ? acquisitions
				: acquisitions.stream().takeWhile((acquisition) -> entries(acquisition.key()) == entries).toList());
	}

	/**
	 * Returns the first of the locks for which a caller that does not wait would be
	 * rejected at once; {@code null} if there is none.
	 */
	public @Nullable LockKey firstTaken(Collection<LockKey> keys) {
		return keys.stream().filter((key) -> entries(key).isTaken(key)).findFirst().orElse(null);
	}

	/** Removes an acquisition that has been abandoned. */
	public void leave(Acquisition acquisition) {
		entries(acquisition.key()).leave(acquisition);
	}

	/** Rejects a waiter whose thread must not wait. */
	public void reject(Acquisition acquisition) {
		entries(acquisition.key()).reject(acquisition);
	}

	/** The lock may have become free. */
	public void wake(LockKey key) {
		entries(key).wake(key);
	}

	/** Returns the lease on a lock, if it is held here. */
	public Optional<StoreLease> lease(LockKey key) {
		return entries(key).lease(key);
	}

	/**
	 * Returns the locks that are held or waited for here, in no order.
	 * @return a snapshot of each lock, taken one after the other
	 */
	public Stream<LockSnapshot> snapshots() {
		return all().flatMap(LockEntries::snapshots);
	}

	/** Returns the leases on locks with a name. */
	public Stream<StoreLease> leases(String lockName) {
		return all().flatMap((entries) -> entries.leases(lockName));
	}

	/** Admits waiters again, after {@link #drain()} or {@link #releaseAll()}. */
	public void open() {
		all().forEach(LockEntries::open);
	}

	/** Ends all waiting, also of later callers. Free locks are still granted. */
	public void drain() {
		all().forEach(LockEntries::drain);
	}

	/**
	 * Ends all waiting and all leases, and grants no further lock.
	 * @return completes when all stores have answered or failed
	 */
	public CompletableFuture<Void> releaseAll() {
		return CompletableFuture.allOf(all().map(LockEntries::releaseAll).toArray(CompletableFuture[]::new));
	}

	private Stream<LockEntries> all() {
		return this.byStore.values().stream();
	}

}
