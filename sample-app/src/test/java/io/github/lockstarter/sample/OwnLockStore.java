package io.github.lockstarter.sample;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.Capability;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.StoredResult;

/**
 * An application's own store, as in the documentation.
 */
class OwnLockStore implements LockStore {

	final Map<LockKey, StoredLease> leases = new ConcurrentHashMap<>();

	private final AtomicLong tokens = new AtomicLong();

	@Override
	public Set<Capability> capabilities() {
		return Set.of(Capability.LOCAL);
	}

	@Override
	public StoredLock lock(LockKey key) {
		return new OwnLock(key, this.leases, this.tokens);
	}

	private record OwnLock(LockKey key, Map<LockKey, StoredLease> leases, AtomicLong tokens) implements StoredLock {

		@Override
		public CompletionStage<AcquireResult> acquire(AcquireCommand command) {
			long end = System.nanoTime() + command.ttl().toNanos();
			StoredLease holder = this.leases.compute(this.key, (key, old) -> (old != null && old.nanosLeft() > 0) ? old
					: new StoredLease(command.owner(), end, this.tokens.incrementAndGet()));
			return CompletableFuture.completedFuture(holder.isOf(command.owner()) ? new Granted(holder.token())
					: new Held(Duration.ofNanos(holder.nanosLeft())));
		}

		@Override
		public CompletionStage<Boolean> renew(String owner, Duration ttl) {
			long end = System.nanoTime() + ttl.toNanos();
			StoredLease holder = this.leases.computeIfPresent(this.key, (key,
					old) -> (old.isOf(owner) && end - old.end() > 0) ? new StoredLease(owner, end, old.token()) : old);
			return CompletableFuture.completedFuture(holder != null && holder.isOf(owner));
		}

		@Override
		public CompletionStage<Boolean> release(String owner, @Nullable StoredResult result) {
			AtomicBoolean released = new AtomicBoolean();
			this.leases.computeIfPresent(this.key,
					(key, old) -> (old.isOf(owner) && released.compareAndSet(false, true)) ? null : old);
			return CompletableFuture.completedFuture(released.get());
		}

	}

	record StoredLease(String owner, long end, long token) {

		boolean isOf(String owner) {
			return nanosLeft() > 0 && this.owner.equals(owner);
		}

		long nanosLeft() {
			return this.end - System.nanoTime();
		}

	}

}
