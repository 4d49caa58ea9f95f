package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.memory.MemoryLockStore;

/**
 * A store in memory that counts what it is asked, can be out of order, and can forget.
 */
final class ObservedStore implements LockStore {

	final AtomicInteger acquires = new AtomicInteger();

	final AtomicInteger releases = new AtomicInteger();

	final List<List<Renewal>> renewals = new CopyOnWriteArrayList<>();

	volatile boolean broken;

	private volatile MemoryLockStore memory = new MemoryLockStore();

	void forgetAll() {
		this.memory = new MemoryLockStore();
	}

	int requests() {
		return this.acquires.get() + this.releases.get() + this.renewals.size();
	}

	@Override
	public CompletionStage<AcquireResult> acquire(LockKey key, String owner, Duration ttl) {
		this.acquires.incrementAndGet();
		return unlessBroken(key, () -> this.memory.acquire(key, owner, ttl));
	}

	@Override
	public CompletionStage<Boolean> renew(LockKey key, String owner, Duration ttl) {
		return unlessBroken(key, () -> this.memory.renew(key, owner, ttl));
	}

	@Override
	public List<CompletionStage<Boolean>> renewAll(List<Renewal> renewals) {
		this.renewals.add(renewals);
		return LockStore.super.renewAll(renewals);
	}

	@Override
	public CompletionStage<Boolean> release(LockKey key, String owner) {
		this.releases.incrementAndGet();
		return unlessBroken(key, () -> this.memory.release(key, owner));
	}

	private <T> CompletionStage<T> unlessBroken(LockKey key, Supplier<CompletionStage<T>> answer) {
		return this.broken ? CompletableFuture.failedFuture(new LockStoreException(key, "out of order", null))
				: answer.get();
	}

}
