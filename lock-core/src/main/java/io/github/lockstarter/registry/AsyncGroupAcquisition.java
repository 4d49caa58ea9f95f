package io.github.lockstarter.registry;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.registry.acquisition.Acquisition;
import io.github.lockstarter.registry.entry.LockEntriesByStore;
import io.github.lockstarter.registry.observe.StoreFailure;
import io.github.lockstarter.registry.sharing.SharedLease;

/**
 * The acquisition of several locks without blocking a thread.
 */
final class AsyncGroupAcquisition extends GroupAcquisition {

	private final Executor executor;

	private final BiFunction<LockKey, CompletableFuture<Lease>, Acquisition> acquisitions;

	/**
	 * Creates an attempt.
	 * @param executor completes the result
	 * @param acquisitions creates the acquisition of a lock, whose answer completes the
	 * lease on the executor
	 */
	AsyncGroupAcquisition(LockEntriesByStore entries, LockOptions options, Executor executor,
			BiFunction<LockKey, CompletableFuture<Lease>, Acquisition> acquisitions) {
		super(entries, options);
		this.executor = executor;
		this.acquisitions = acquisitions;
	}

	@Override
	Acquisition create(LockKey key, CompletableFuture<Lease> lease) {
		return this.acquisitions.apply(key, lease);
	}

	/** An acquisition that is rejected at once is answered on this thread. */
	@Override
	boolean await(CompletableFuture<List<Acquisition>> submitted) {
		if (submitted.isDone()) {
			Acquisition first = submitted.join().get(0);
			if (first.deliverRejection()) {
				lease(first).whenComplete((lease, failure) -> fail(failure));
				return false;
			}
		}
		submitted.thenAccept((acquisitions) -> CompletableFuture
			.allOf(acquisitions.stream().map(this::lease).toArray(CompletableFuture<?>[]::new))
			.whenCompleteAsync((done, failure) -> {
				if (failure != null) {
					fail(StoreFailure.cause(failure));
				}
				else {
					acquisitions.forEach(this::granted);
					proceed();
				}
			}, this.executor));
		return false;
	}

	@Override
	CompletableFuture<?> releaseUnused(List<SharedLease> leases) {
		return CompletableFuture.allOf(leases.stream()
			.map((lease) -> lease.releaseUnused().toCompletableFuture())
			.toArray(CompletableFuture<?>[]::new));
	}

}
