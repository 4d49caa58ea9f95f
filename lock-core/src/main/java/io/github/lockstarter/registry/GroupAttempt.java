package io.github.lockstarter.registry;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.registry.entry.LockEntriesByStore;
import io.github.lockstarter.registry.observe.StoreFailure;
import io.github.lockstarter.registry.acquisition.Acquisition;

/**
 * An attempt to acquire several locks without blocking a thread. The caller may give up
 * at any time by completing the result itself.
 */
final class GroupAttempt {

	private final LockEntriesByStore entries;

	private final Executor executor;

	/** The result of each acquisition, in the order of the keys. */
	private final Map<Acquisition, CompletableFuture<Lease>> leases = new LinkedHashMap<>();

	/** The acquisitions that are not answered yet, in the order of the keys. */
	private final Set<Acquisition> open = new LinkedHashSet<>();

	private final CompletableFuture<List<Lease>> result = new CompletableFuture<>();

	/** The value of the result, unless the caller gives up. */
	private volatile @Nullable List<Lease> granted;

	/** Whether the attempt has ended without a grant. */
	private volatile boolean givenUp;

	/**
	 * Creates an attempt.
	 * @param executor completes the result
	 */
	GroupAttempt(LockEntriesByStore entries, Executor executor) {
		this.entries = entries;
		this.executor = executor;
	}

	/**
	 * Adds an acquisition, in the order of the keys.
	 * @param create creates the acquisition for a result and an executor
	 */
	void add(BiFunction<CompletableFuture<Lease>, Executor, Acquisition> create) {
		CompletableFuture<Lease> lease = new CompletableFuture<>();
		Acquisition added = create.apply(lease, this.executor);
		this.leases.put(added, lease);
		this.open.add(added);
	}

	CompletableFuture<List<Lease>> begin() {
		this.result.whenComplete((leases, failure) -> {
			if (leases == null || leases != this.granted) {
				this.givenUp = true;
				giveUp();
			}
		});
		next();
		return this.result;
	}

	private void next() {
		if (this.open.isEmpty()) {
			end();
			return;
		}
		this.entries.submitAll(this.open).thenAccept(this::await);
		if (this.givenUp) {
			// Includes the acquisitions that were submitted after the caller gave up.
			giveUp();
		}
	}

	private void await(List<Acquisition> asked) {
		CompletableFuture<?>[] answers = asked.stream().map(this.leases::get).toArray(CompletableFuture<?>[]::new);
		if (asked.size() == 1) {
			// An acquisition that was refused without a command to the store is answered
			// here.
			this.executor.execute(asked.get(0)::deliverRefusal);
		}
		CompletableFuture.allOf(answers).whenCompleteAsync((done, failure) -> {
			if (failure != null) {
				fail(StoreFailure.cause(failure));
			}
			else {
				asked.forEach(this.open::remove);
				next();
			}
		}, this.executor);
	}

	private void end() {
		List<Lease> all = this.leases.values().stream().map(CompletableFuture::join).toList();
		for (Lease lease : all) {
			if (!lease.isHeld()) {
				fail(new LeaseLostException(lease.key()));
				return;
			}
		}
		this.granted = all;
		this.result.complete(all);
	}

	private void fail(Throwable failure) {
		giveUp().whenComplete((released, ignored) -> this.result.completeExceptionally(failure));
	}

	/**
	 * Abandons the open acquisitions, and releases the granted leases. May be called
	 * twice.
	 */
	private CompletableFuture<?> giveUp() {
		Stream.Builder<CompletableFuture<?>> released = Stream.builder();
		this.leases.forEach((acquisition, lease) -> {
			if (!lease.cancel(false) && !lease.isCompletedExceptionally()) {
				released.add(DefaultLockRegistry.releaseUnused(lease.join()).toCompletableFuture());
			}
			acquisition.abandon();
			this.entries.leave(acquisition);
		});
		return CompletableFuture.allOf(released.build().toArray(CompletableFuture<?>[]::new));
	}

}
