package io.github.lockstarter.store.memory;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Busy;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.LockStore;

/**
 * Keeps locks in a map: they exclude each other in this JVM only, and are gone with it.
 * For tests and for applications that run on a single server.
 */
public final class MemoryLockStore implements LockStore {

	/** How many grants pass between two sweeps of what nobody released. */
	private static final int SWEEP_EVERY = 1024;

	private final ConcurrentMap<LockKey, Holding> holdings = new ConcurrentHashMap<>();

	private final AtomicLong fence = new AtomicLong();

	private final LongSupplier nanoTime;

	/**
	 * Creates a store on the JVM's monotonic clock.
	 */
	public MemoryLockStore() {
		this(System::nanoTime);
	}

	/**
	 * Creates a store on another clock.
	 * @param nanoTime a clock like {@link System#nanoTime()}
	 */
	public MemoryLockStore(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

	@Override
	public CompletionStage<AcquireResult> acquire(LockKey key, String owner, Duration ttl) {
		Holding holder = this.holdings.compute(key, (k, old) -> {
			long now = this.nanoTime.getAsLong();
			return (old != null && old.isLive(now)) ? old
					: new Holding(owner, now + ttl.toNanos(), this.fence.incrementAndGet());
		});
		long now = this.nanoTime.getAsLong();
		if (!holder.owner().equals(owner)) {
			return done(new Busy(Duration.ofNanos(Math.max(holder.expiry() - now, 0))));
		}
		if (holder.fencingToken() % SWEEP_EVERY == 0) {
			this.holdings.values().removeIf((holding) -> !holding.isLive(now));
		}
		return done(new Granted(holder.fencingToken()));
	}

	@Override
	public CompletionStage<Boolean> renew(LockKey key, String owner, Duration ttl) {
		long now = this.nanoTime.getAsLong();
		Holding holder = this.holdings.computeIfPresent(key,
				(k, old) -> old.isOwnedBy(owner, now) ? old.until(now + ttl.toNanos()) : old);
		return done(holder != null && holder.isOwnedBy(owner, now));
	}

	@Override
	public CompletionStage<Boolean> release(LockKey key, String owner) {
		long now = this.nanoTime.getAsLong();
		AtomicBoolean released = new AtomicBoolean();
		this.holdings.computeIfPresent(key, (k, old) -> {
			released.set(old.isOwnedBy(owner, now));
			return released.get() ? null : old;
		});
		return done(released.get());
	}

	private static <T> CompletionStage<T> done(T value) {
		return CompletableFuture.completedFuture(value);
	}

	private record Holding(String owner, long expiry, long fencingToken) {

		boolean isLive(long now) {
			return this.expiry - now > 0;
		}

		boolean isOwnedBy(String owner, long now) {
			return isLive(now) && this.owner.equals(owner);
		}

		Holding until(long expiry) {
			return new Holding(this.owner, expiry, this.fencingToken);
		}

	}

}
