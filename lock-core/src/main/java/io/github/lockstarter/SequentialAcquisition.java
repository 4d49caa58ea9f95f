package io.github.lockstarter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Acquires several locks one after the other, in the order of their keys. The order is
 * the same for all callers, so that no two of them wait for each other. The wait time
 * starts with the first lock.
 */
final class SequentialAcquisition {

	private static final Duration SHORTEST_WAIT = Duration.ofMillis(1);

	private final LockRegistry registry;

	private final LockOptions options;

	private final Iterator<LockKey> open;

	private final long begin = System.nanoTime();

	private final List<Lease> leases = new ArrayList<>();

	SequentialAcquisition(LockRegistry registry, Collection<LockKey> keys, LockOptions options) {
		this.registry = registry;
		this.options = options;
		this.open = new TreeSet<>(keys).iterator();
	}

	List<Lease> acquire() {
		try {
			while (this.open.hasNext()) {
				this.leases.add(this.registry.acquire(this.open.next(), left()));
			}
			checkHeld();
		}
		catch (Throwable ex) {
			this.leases.forEach(Lease::releaseAsync);
			this.leases.forEach(Lease::close);
			throw ex;
		}
		return List.copyOf(this.leases);
	}

	CompletableFuture<List<Lease>> acquireAsync(Executor executor) {
		CompletableFuture<List<Lease>> result = new CompletableFuture<>();
		acquireNext(executor, result);
		return result;
	}

	/**
	 * Immediate answers are processed in a loop, not by recursion: there may be many
	 * locks.
	 */
	private void acquireNext(Executor executor, CompletableFuture<List<Lease>> result) {
		while (this.open.hasNext() && !result.isDone()) {
			CompletableFuture<Lease> next = this.registry.acquireAsync(this.open.next(), left(), executor)
				.toCompletableFuture();
			if (!next.isDone() || next.isCompletedExceptionally()) {
				next.whenComplete((lease, failure) -> {
					if (failure != null) {
						this.leases.forEach(Lease::releaseAsync);
						result.completeExceptionally(failure);
					}
					else {
						this.leases.add(lease);
						acquireNext(executor, result);
					}
				});
				result.whenComplete((leases, failure) -> next.cancel(false));
				return;
			}
			this.leases.add(next.join());
		}
		try {
			checkHeld();
		}
		catch (LeaseLostException ex) {
			this.leases.forEach(Lease::releaseAsync);
			result.completeExceptionally(ex);
			return;
		}
		if (!result.complete(List.copyOf(this.leases))) {
			this.leases.forEach(Lease::releaseAsync);
		}
	}

	/** A lease may have been lost while the caller waited for another lock. */
	private void checkHeld() {
		for (Lease lease : this.leases) {
			if (!lease.isHeld()) {
				throw new LeaseLostException(lease.key());
			}
		}
	}

	private LockOptions left() {
		if (this.leases.isEmpty() || this.options.waitTime().isZero()) {
			return this.options;
		}
		Duration left = this.options.waitTime().minusNanos(System.nanoTime() - this.begin);
		return this.options.withWaitTime((left.compareTo(SHORTEST_WAIT) > 0) ? left : SHORTEST_WAIT);
	}

}
