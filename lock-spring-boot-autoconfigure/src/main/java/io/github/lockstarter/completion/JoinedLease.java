package io.github.lockstarter.completion;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;

/**
 * The lease of an outer call as joined by an inner call. Its release ends the use by the
 * inner call. The outer call keeps the lock.
 */
final class JoinedLease implements Lease {

	private final HeldLeases outer;

	private final Lease lease;

	private final AtomicBoolean ended = new AtomicBoolean();

	JoinedLease(HeldLeases outer, Lease lease) {
		this.outer = outer;
		this.lease = lease;
	}

	@Override
	public LockKey key() {
		return this.lease.key();
	}

	@Override
	public long fencingToken() {
		return this.lease.fencingToken();
	}

	@Override
	public boolean isHeld() {
		return !this.ended.get() && this.lease.isHeld();
	}

	@Override
	public Duration remaining() {
		return this.ended.get() ? Duration.ZERO : this.lease.remaining();
	}

	@Override
	public void onLost(Runnable action) {
		this.lease.onLost(() -> {
			if (!this.ended.get()) {
				action.run();
			}
		});
	}

	@Override
	public CompletionStage<Void> releaseAsync() {
		return this.ended.compareAndSet(false, true) ? this.outer.leave() : CompletableFuture.completedStage(null);
	}

	@Override
	public void close() {
		releaseAsync();
	}

}
