package io.github.lockstarter.registry;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.lockstarter.LockKey;

/**
 * What one instance holds, and who waits in it: the view of its operator.
 */
public final class LocalLocks {

	private final StoreLockRegistry registry;

	/**
	 * Creates a view.
	 * @param registry what to look at
	 */
	public LocalLocks(StoreLockRegistry registry) {
		this.registry = registry;
	}

	/**
	 * Returns the locks that are held or waited for here, in no order.
	 * @return each as it was at a moment of its own
	 */
	public List<LockSnapshot> look() {
		return this.registry.locks()
			.values()
			.stream()
			.map(LocalLock::look)
			.filter((lock) -> lock.held() != null || !lock.waiting().isEmpty())
			.toList();
	}

	/**
	 * Ends the lease on a lock, as if it was lost: whoever holds it is told, and the next
	 * one may have it, while the work goes on.
	 * @param key the lock
	 * @return completes when the store has answered; with {@code false} if this instance
	 * does not hold the lock
	 */
	public CompletionStage<Boolean> forceRelease(LockKey key) {
		return Optional.ofNullable(this.registry.locks().get(key))
			.flatMap(LocalLock::holder)
			.map((lease) -> lease.lose("an operator released it").thenApply((done) -> true))
			.orElseGet(() -> CompletableFuture.completedFuture(false));
	}

}
