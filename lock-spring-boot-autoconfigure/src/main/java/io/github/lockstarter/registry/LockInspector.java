package io.github.lockstarter.registry;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.registry.entry.LockSnapshot;
import io.github.lockstarter.registry.entry.LockTable;
import io.github.lockstarter.registry.lease.StoreLease;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.StoredResults;

/**
 * The holders and waiters of one instance: the view of its operator.
 */
public final class LockInspector {

	private final @Nullable LockTable table;

	private final Executor callbacks;

	private final @Nullable LockStore store;

	/**
	 * Creates a view.
	 * @param registry the registry to show; {@code null} to show nothing
	 */
	public LockInspector(@Nullable DefaultLockRegistry registry) {
		this.table = (registry != null) ? registry.table() : null;
		this.store = (registry != null) ? registry.store() : null;
		this.callbacks = (registry != null) ? registry.runtime().callbacks() : Runnable::run;
	}

	/**
	 * Returns the locks that are held or waited for here, in no order.
	 * @return each as it was at a moment of its own
	 */
	public List<LockSnapshot> snapshot() {
		return (this.table == null) ? List.of()
				: this.table.snapshots().filter((lock) -> lock.held() != null || !lock.waiting().isEmpty()).toList();
	}

	/**
	 * Returns the results that the store keeps for later duplicates, if they can be
	 * listed.
	 */
	public Optional<StoredResults> results() {
		return (this.store != null) ? this.store.results() : Optional.empty();
	}

	/**
	 * Returns how many leases on locks of a name this instance holds.
	 * @param lockName the name
	 * @return how many
	 */
	public long held(String lockName) {
		return (this.table != null) ? this.table.leases(lockName).count() : 0;
	}

	/**
	 * Returns how many wait in this instance for locks of a name.
	 * @param lockName the name
	 * @return how many
	 */
	public long waiters(String lockName) {
		return (this.table == null) ? 0
				: this.table.snapshots()
					.filter((lock) -> lock.key().name().equals(lockName))
					.mapToLong((lock) -> lock.waiting().size())
					.sum();
	}

	/**
	 * Ends the lease on a lock, as if it was lost: its holder is notified, and the next
	 * waiter may have it, while the work goes on.
	 * @param key the lock
	 * @param fencingToken the number of the lease, so that it is not the next one's
	 * @return completes when the store has answered or failed, where the lock is then
	 * held for the rest of its time; with {@code false} if this instance does not hold
	 * that lease
	 */
	public CompletionStage<Boolean> forceRelease(LockKey key, long fencingToken) {
		return ((this.table != null) ? this.table.lease(key) : Optional.<StoreLease>empty())
			.filter((lease) -> lease.fencingToken() == fencingToken)
			.map((lease) -> lease.lose("an operator released it").thenApplyAsync((done) -> true, this.callbacks))
			.orElseGet(() -> CompletableFuture.completedFuture(false));
	}

}
