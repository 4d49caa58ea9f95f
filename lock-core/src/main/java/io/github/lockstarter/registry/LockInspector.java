package io.github.lockstarter.registry;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.registry.entry.LockSnapshot;
import io.github.lockstarter.registry.entry.LockEntriesByStore;
import io.github.lockstarter.registry.lease.StoreLease;
import io.github.lockstarter.store.LockStores;
import io.github.lockstarter.store.StoredResults;

/**
 * Shows the holders and waiters of one instance to its operator.
 */
public final class LockInspector {

	private final @Nullable LockEntriesByStore entries;

	private final Executor callbacks;

	private final @Nullable LockStores stores;

	/**
	 * Creates an inspector.
	 * @param registry the registry to inspect; {@code null} for an inspector that shows
	 * nothing
	 */
	public LockInspector(@Nullable DefaultLockRegistry registry) {
		this.entries = (registry != null) ? registry.entries() : null;
		this.stores = (registry != null) ? registry.stores() : null;
		this.callbacks = (registry != null) ? registry.runtime().callbacks() : Runnable::run;
	}

	/**
	 * Returns the locks that this instance holds or waits for, in no order.
	 * @return a snapshot of each lock, taken one after the other
	 */
	public List<LockSnapshot> snapshot() {
		return (this.entries == null) ? List.of()
				: this.entries.snapshots().filter((lock) -> lock.held() != null || !lock.waiting().isEmpty()).toList();
	}

	/**
	 * Returns the results in the store of locks with a name, which are kept for later
	 * duplicates, if they can be listed.
	 * @param lockName the name of the locks
	 */
	public Optional<StoredResults> results(String lockName) {
		return (this.stores != null) ? this.stores.of(lockName).results() : Optional.empty();
	}

	/**
	 * Returns the name of the store of locks with a name.
	 * @param lockName the name of the locks
	 */
	public String storeName(String lockName) {
		return (this.stores != null) ? this.stores.nameOf(lockName) : LockStores.OWN;
	}

	/**
	 * Returns the number of leases on locks with a name that this instance holds.
	 * @param lockName the name of the locks
	 * @return the number of leases
	 */
	public long held(String lockName) {
		return (this.entries != null) ? this.entries.leases(lockName).count() : 0;
	}

	/**
	 * Returns the number of waiters in this instance for locks with a name.
	 * @param lockName the name of the locks
	 * @return the number of waiters
	 */
	public long waiters(String lockName) {
		return (this.entries == null) ? 0
				: this.entries.snapshots()
					.filter((lock) -> lock.key().name().equals(lockName))
					.mapToLong((lock) -> lock.waiting().size())
					.sum();
	}

	/**
	 * Ends the lease on a lock as if it was lost: its holder is notified, and the next
	 * waiter can acquire the lock. The work of the holder is not stopped.
	 * @param key the lock
	 * @param fencingToken the fencing token of the lease, so that no later lease is ended
	 * @return a stage that completes when the store has answered or failed; after a
	 * failure, the lock expires with its time to live. It completes with {@code false} if
	 * this instance does not hold that lease
	 */
	public CompletionStage<Boolean> forceRelease(LockKey key, long fencingToken) {
		return ((this.entries != null) ? this.entries.lease(key) : Optional.<StoreLease>empty())
			.filter((lease) -> lease.fencingToken() == fencingToken)
			.map((lease) -> lease.lose("an operator released it").thenApplyAsync((done) -> true, this.callbacks))
			.orElseGet(() -> CompletableFuture.completedFuture(false));
	}

}
