package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.LockStore;

/**
 * A lease on a lock in a {@link LockStore}.
 */
final class StoreLease implements Lease {

	private static final Log logger = LogFactory.getLog(StoreLease.class);

	private final LockStore store;

	private final LockKey key;

	private final String owner;

	private final long fencingToken;

	/** In {@link System#nanoTime()}, counted from before the lock was asked for. */
	private final long deadline;

	private final AtomicReference<@Nullable CompletableFuture<Void>> release = new AtomicReference<>();

	StoreLease(LockStore store, LockKey key, String owner, long fencingToken, long deadline) {
		this.store = store;
		this.key = key;
		this.owner = owner;
		this.fencingToken = fencingToken;
		this.deadline = deadline;
	}

	@Override
	public LockKey key() {
		return this.key;
	}

	@Override
	public long fencingToken() {
		return this.fencingToken;
	}

	@Override
	public boolean isHeld() {
		return !remaining().isZero();
	}

	@Override
	public Duration remaining() {
		long nanos = (this.release.get() == null) ? this.deadline - System.nanoTime() : 0;
		return Duration.ofNanos(Math.max(nanos, 0));
	}

	@Override
	public CompletionStage<Void> releaseAsync() {
		CompletableFuture<Void> released = new CompletableFuture<>();
		CompletableFuture<Void> earlier = this.release.compareAndExchange(null, released);
		if (earlier != null) {
			return earlier;
		}
		CompletableFuture.completedStage(this.owner)
			.thenCompose((owner) -> this.store.release(this.key, owner))
			.whenComplete((owned, failure) -> {
				if (failure != null) {
					logger.warn(
							"Lock '%s' may not have been released: it is free when its time to live has run out, at the latest"
								.formatted(this.key.name()),
							failure);
				}
				else if (!owned) {
					logger
						.warn(("The lease of lock '%s' was lost before it was released, so the work may have overlapped"
								+ " with the next holder's: is its ttl shorter than the work?")
							.formatted(this.key.name()));
				}
				released.complete(null);
			});
		return released;
	}

	@Override
	public void close() {
		releaseAsync().toCompletableFuture().join();
	}

	@Override
	public String toString() {
		return "Lease of " + this.key + ", fencing token " + this.fencingToken;
	}

}
