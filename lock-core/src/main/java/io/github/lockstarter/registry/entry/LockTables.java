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
import io.github.lockstarter.registry.request.AcquireRequest;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.LockStores;

/**
 * A table for each store, so that stores share neither requests nor renewals. The name of
 * a lock decides which table it is in.
 */
public final class LockTables {

	private final LockStores stores;

	private final Map<String, LockTable> tables = new LinkedHashMap<>();

	/** The table, if there is only one store. */
	private final @Nullable LockTable only;

	/**
	 * Creates the tables.
	 * @param stores the stores of the locks
	 * @param create creates the table of a store
	 */
	public LockTables(LockStores stores, Function<LockStore, LockTable> create) {
		this.stores = stores;
		stores.byName().forEach((name, store) -> this.tables.put(name, create.apply(store)));
		this.only = stores.areSeveral() ? null : this.tables.values().iterator().next();
	}

	private LockTable table(LockKey key) {
		return (this.only != null) ? this.only
				: Objects.requireNonNull(this.tables.get(this.stores.nameOf(key.name())));
	}

	/** Admits the request to the queue of its lock, or answers it. */
	public void submit(AcquireRequest request) {
		table(request.key()).submit(request);
	}

	/**
	 * Admits some of the requests of a caller that needs several locks: only such that
	 * are in the store of the first one.
	 * @param requests at least one request, in the order of their keys, none of them
	 * submitted
	 * @return completes with the requests that are answered, or will be; the others are
	 * not submitted, or no longer
	 */
	public CompletableFuture<List<AcquireRequest>> submitAll(Collection<AcquireRequest> requests) {
		LockTable table = table(requests.iterator().next().key());
		return table.submitAll((this.only != null) ? requests
				: requests.stream().takeWhile((request) -> table(request.key()) == table).toList());
	}

	/**
	 * Returns the first of the locks for which a caller that does not wait would be
	 * refused at once; {@code null} if there is none.
	 */
	public @Nullable LockKey firstTaken(Collection<LockKey> keys) {
		return keys.stream().filter((key) -> table(key).isTaken(key)).findFirst().orElse(null);
	}

	/** Removes a request that has been abandoned. */
	public void leave(AcquireRequest request) {
		table(request.key()).leave(request);
	}

	/** Refuses a waiter whose thread must not wait. */
	public void refuse(AcquireRequest request) {
		table(request.key()).refuse(request);
	}

	/** The lock may have become free. */
	public void wake(LockKey key) {
		table(key).wake(key);
	}

	/** Returns the lease on a lock, if it is held here. */
	public Optional<StoreLease> lease(LockKey key) {
		return table(key).lease(key);
	}

	/**
	 * Returns the locks that are held or waited for here, in no order.
	 * @return a snapshot of each lock, taken one after the other
	 */
	public Stream<LockSnapshot> snapshots() {
		return all().flatMap(LockTable::snapshots);
	}

	/** Returns the leases on locks with a name. */
	public Stream<StoreLease> leases(String lockName) {
		return all().flatMap((table) -> table.leases(lockName));
	}

	/** Admits waiters again, after {@link #drain()} or {@link #releaseAll()}. */
	public void open() {
		all().forEach(LockTable::open);
	}

	/** Ends all waiting, also of later callers. Free locks are still granted. */
	public void drain() {
		all().forEach(LockTable::drain);
	}

	/**
	 * Ends all waiting and all leases, and grants no further lock.
	 * @return completes when all stores have answered or failed
	 */
	public CompletableFuture<Void> releaseAll() {
		return CompletableFuture.allOf(all().map(LockTable::releaseAll).toArray(CompletableFuture[]::new));
	}

	/** Returns whether no lock is held or waited for. */
	public boolean isEmpty() {
		return all().allMatch(LockTable::isEmpty);
	}

	private Stream<LockTable> all() {
		return this.tables.values().stream();
	}

}
