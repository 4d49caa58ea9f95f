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
import io.github.lockstarter.registry.entry.LockTable;
import io.github.lockstarter.registry.observe.StoreFailure;
import io.github.lockstarter.registry.request.AcquireRequest;

/**
 * An attempt to acquire several locks whose caller holds no thread, and may give up at
 * any time by completing the result itself, in whatever way.
 */
final class GroupAttempt {

	private final LockTable table;

	private final Executor executor;

	/** What each request comes to, in the order of the keys. */
	private final Map<AcquireRequest, CompletableFuture<Lease>> leases = new LinkedHashMap<>();

	/** The requests that are not answered yet, in the same order. */
	private final Set<AcquireRequest> open = new LinkedHashSet<>();

	private final CompletableFuture<List<Lease>> result = new CompletableFuture<>();

	/** What the result completes with, unless the caller gives up. */
	private volatile @Nullable List<Lease> granted;

	/**
	 * Creates an attempt.
	 * @param executor where the result completes
	 */
	GroupAttempt(LockTable table, Executor executor) {
		this.table = table;
		this.executor = executor;
	}

	/**
	 * Adds a request, in the order of the keys.
	 * @param request is given where its answer is to go
	 */
	void add(BiFunction<CompletableFuture<Lease>, Executor, AcquireRequest> request) {
		CompletableFuture<Lease> lease = new CompletableFuture<>();
		AcquireRequest added = request.apply(lease, this.executor);
		this.leases.put(added, lease);
		this.open.add(added);
	}

	CompletableFuture<List<Lease>> begin() {
		next();
		this.result.whenComplete((leases, failure) -> {
			if (leases == null || leases != this.granted) {
				giveUp();
			}
		});
		return this.result;
	}

	private void next() {
		if (this.open.isEmpty()) {
			end();
			return;
		}
		this.table.submitAll(this.open).thenAccept(this::await);
		if (this.result.isDone()) {
			// What was submitted after the caller gave up is given up, too.
			giveUp();
		}
	}

	private void await(List<AcquireRequest> asked) {
		CompletableFuture<?>[] answers = asked.stream().map(this.leases::get).toArray(CompletableFuture<?>[]::new);
		if (asked.size() == 1) {
			// It may have been refused without a question, which is told here.
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
				fail(DefaultLockRegistry.lost(lease));
				return;
			}
		}
		this.granted = all;
		this.result.complete(all);
	}

	private void fail(Throwable failure) {
		giveUp().whenComplete((released, ignored) -> this.result.completeExceptionally(failure));
	}

	/** Gives up what is open, and releases what was granted. May be called twice. */
	private CompletableFuture<?> giveUp() {
		Stream.Builder<CompletableFuture<?>> released = Stream.builder();
		this.leases.forEach((request, lease) -> {
			if (!lease.cancel(false) && !lease.isCompletedExceptionally()) {
				released.add(DefaultLockRegistry.giveBack(lease.join()).toCompletableFuture());
			}
			request.abandon();
			this.table.leave(request);
		});
		return CompletableFuture.allOf(released.build().toArray(CompletableFuture<?>[]::new));
	}

}
