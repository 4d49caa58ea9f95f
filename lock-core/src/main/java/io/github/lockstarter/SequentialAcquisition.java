package io.github.lockstarter;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;

import org.springframework.util.ReflectionUtils;

/**
 * Acquires several locks one after the other, in the order of their keys. The order is
 * the same for all callers, so that no two of them wait for each other. The wait time
 * starts with the first lock.
 */
final class SequentialAcquisition {

	private final LockOptions options;

	private final BiFunction<LockKey, LockOptions, CompletionStage<Lease>> acquire;

	private final Iterator<LockKey> open;

	private final WaitBudget budget = new WaitBudget();

	private final List<Lease> leases = new ArrayList<>();

	private final CompletableFuture<List<Lease>> result = new CompletableFuture<>();

	private SequentialAcquisition(Collection<LockKey> keys, LockOptions options,
			BiFunction<LockKey, LockOptions, CompletionStage<Lease>> acquire) {
		this.options = options;
		this.acquire = acquire;
		this.open = new TreeSet<>(keys).iterator();
	}

	/** Acquires the locks on this thread, which waits for each of them. */
	static List<Lease> acquire(LockRegistry registry, Collection<LockKey> keys, LockOptions options) {
		SequentialAcquisition all = new SequentialAcquisition(keys, options,
				(key, left) -> CompletableFuture.completedFuture(registry.acquire(key, left)));
		try {
			all.acquireNext();
			return all.result.join();
		}
		catch (CompletionException | CancellationException ex) {
			all.leases.forEach(Lease::close);
			ReflectionUtils.rethrowRuntimeException((ex.getCause() != null) ? ex.getCause() : ex);
			throw ex;
		}
	}

	/** Acquires the locks without blocking a thread. */
	static CompletableFuture<List<Lease>> acquireAsync(LockRegistry registry, Collection<LockKey> keys,
			LockOptions options, Executor executor) {
		SequentialAcquisition all = new SequentialAcquisition(keys, options,
				(key, left) -> registry.acquireAsync(key, left, executor));
		all.acquireNext();
		return all.result;
	}

	/**
	 * Immediate answers are processed in a loop, not by recursion: there may be many
	 * locks.
	 */
	private void acquireNext() {
		while (this.open.hasNext() && !this.result.isDone()) {
			CompletableFuture<Lease> next = begin(this.open.next());
			if (!next.isDone() || next.isCompletedExceptionally()) {
				next.whenComplete((lease, failure) -> {
					if (failure != null) {
						fail(failure);
					}
					else {
						this.leases.add(lease);
						acquireNext();
					}
				});
				this.result.whenComplete((leases, failure) -> next.cancel(false));
				return;
			}
			this.leases.add(next.join());
		}
		end();
	}

	private CompletableFuture<Lease> begin(LockKey key) {
		try {
			return this.acquire.apply(key, this.budget.next(this.options)).toCompletableFuture();
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/** A lease may have been lost while the caller waited for another lock. */
	private void end() {
		for (Lease lease : this.leases) {
			if (!lease.isHeld()) {
				fail(new LeaseLostException(lease.key()));
				return;
			}
		}
		if (!this.result.complete(List.copyOf(this.leases))) {
			this.leases.forEach(Lease::releaseAsync);
		}
	}

	/**
	 * The caller is answered when the locks are free again, as one whose thread waits.
	 */
	private void fail(Throwable failure) {
		CompletableFuture
			.allOf(this.leases.stream().map(SequentialAcquisition::released).toArray(CompletableFuture[]::new))
			.whenComplete((released, ignored) -> this.result.completeExceptionally(failure));
	}

	private static CompletableFuture<Void> released(Lease lease) {
		try {
			return lease.releaseAsync().toCompletableFuture();
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

}
