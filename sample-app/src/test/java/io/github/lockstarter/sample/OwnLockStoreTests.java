package io.github.lockstarter.sample;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Busy;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.LockStoreContract;

/**
 * A store that somebody else wrote, under the published contract.
 */
class OwnLockStoreTests extends LockStoreContract {

	private final OwnLockStore store = new OwnLockStore();

	@Override
	protected LockStore store() {
		return this.store;
	}

	@Override
	protected long locksInStore() {
		return this.store.leases.values().stream().filter(Held::isLive).count();
	}

	static class OwnLockStore implements LockStore {

		private final Map<LockKey, Held> leases = new HashMap<>();

		private long fence;

		@Override
		public synchronized CompletionStage<AcquireResult> acquire(LockKey key, String owner, Duration ttl) {
			Held held = this.leases.get(key);
			if (held != null && held.isLive()) {
				return CompletableFuture.completedFuture(new Busy(Duration.ofNanos(held.end - System.nanoTime())));
			}
			this.leases.put(key, Held.by(owner, ttl));
			return CompletableFuture.completedFuture(new Granted(++this.fence));
		}

		@Override
		public synchronized CompletionStage<Boolean> renew(LockKey key, String owner, Duration ttl) {
			return CompletableFuture.completedFuture(this.leases.computeIfPresent(key,
					(k, held) -> held.isOf(owner) ? held.orUntil(Held.by(owner, ttl).end()) : held) != null
					&& this.leases.get(key).isOf(owner));
		}

		@Override
		public synchronized CompletionStage<Boolean> release(LockKey key, String owner) {
			Held held = this.leases.get(key);
			return CompletableFuture.completedFuture(held != null && held.isOf(owner) && this.leases.remove(key, held));
		}

	}

	private record Held(String owner, long end) {

		Held orUntil(long later) {
			return new Held(this.owner, (later - this.end > 0) ? later : this.end);
		}

		static Held by(String owner, Duration ttl) {
			return new Held(owner, System.nanoTime() + ttl.toNanos());
		}

		boolean isLive() {
			return this.end - System.nanoTime() > 0;
		}

		boolean isOf(String owner) {
			return isLive() && this.owner.equals(owner);
		}

	}

}
