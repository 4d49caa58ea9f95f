package io.github.lockstarter.registry;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;

/**
 * What one instance holds, and who waits in it: the view of its operator.
 */
public final class LocalLocks {

	private final Map<LockKey, LocalLock> locks;

	/**
	 * Creates a view.
	 * @param registry what to look at; {@code null} to see nothing
	 */
	public LocalLocks(@Nullable StoreLockRegistry registry) {
		this.locks = (registry != null) ? registry.locks() : Map.of();
	}

	/**
	 * Returns the locks that are held or waited for here, in no order.
	 * @return each as it was at a moment of its own
	 */
	public List<LockSnapshot> look() {
		return this.locks.values()
			.stream()
			.map(LocalLock::look)
			.filter((lock) -> lock.held() != null || !lock.waiting().isEmpty())
			.toList();
	}

	/**
	 * Returns how many leases on locks of a name this instance holds.
	 * @param lockName the name
	 * @return how many
	 */
	public long held(String lockName) {
		return ofName(lockName).filter((lock) -> lock.holder().isPresent()).count();
	}

	/**
	 * Returns how many wait in this instance for locks of a name.
	 * @param lockName the name
	 * @return how many
	 */
	public long waiters(String lockName) {
		return ofName(lockName).mapToLong((lock) -> lock.look().waiting().size()).sum();
	}

	private Stream<LocalLock> ofName(String lockName) {
		return this.locks.entrySet()
			.stream()
			.filter((each) -> each.getKey().name().equals(lockName))
			.map(Map.Entry::getValue);
	}

	/**
	 * Ends the lease on a lock, as if it was lost: whoever holds it is told, and the next
	 * one may have it, while the work goes on.
	 * @param key the lock
	 * @param fencingToken the number of the lease, so that it is not the next one's
	 * @return completes when the store has answered or failed, where the lock is then
	 * held for the rest of its time; with {@code false} if this instance does not hold
	 * that lease
	 */
	public CompletionStage<Boolean> forceRelease(LockKey key, long fencingToken) {
		return Optional.ofNullable(this.locks.get(key))
			.flatMap(LocalLock::holder)
			.filter((lease) -> lease.fencingToken() == fencingToken)
			.map((lease) -> lease.lose("an operator released it").thenApply((done) -> true))
			.orElseGet(() -> CompletableFuture.completedFuture(false));
	}

}
