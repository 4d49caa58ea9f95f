package io.github.lockstarter.store.memory;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Busy;
import io.github.lockstarter.store.AcquireResult.Found;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.LeftResult;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.ResultSlot;
import io.github.lockstarter.store.ResultStore;
import io.github.lockstarter.store.TokenStore;
import io.github.lockstarter.store.WantedResults;

/**
 * Keeps locks in a map: they exclude each other in this JVM only, and are gone with it.
 * For tests and for applications that run on a single server.
 */
public final class MemoryLockStore implements LockStore, ResultStore, TokenStore {

	/** How many grants pass between two sweeps of what nobody released. */
	private static final int SWEEP_EVERY = 1024;

	private final ConcurrentMap<LockKey, Holding> holdings = new ConcurrentHashMap<>();

	private final ConcurrentMap<ResultKey, Result> results = new ConcurrentHashMap<>();

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
		return acquire(key, owner, ttl, (now) -> null);
	}

	@Override
	public CompletionStage<AcquireResult> claim(LockKey key, String owner, Duration ttl, @Nullable Runnable onRelease) {
		return acquire(key, owner, ttl);
	}

	@Override
	public CompletionStage<Optional<Duration>> remaining(LockKey key) {
		long now = this.nanoTime.getAsLong();
		return done(Optional.ofNullable(this.holdings.get(key))
			.filter((holding) -> holding.isLive(now))
			.map((holding) -> Duration.ofNanos(holding.expiry() - now)));
	}

	@Override
	public CompletionStage<AcquireResult> acquireOrResult(LockKey key, String owner, Duration ttl, WantedResults wanted,
			@Nullable Runnable onRelease) {
		return acquire(key, owner, ttl, (now) -> {
			Result result = this.results.get(new ResultKey(key, wanted.slot().name()));
			if (result == null || !result.isLive(now)) {
				return null;
			}
			Duration age = Duration.ofNanos(now - result.came());
			return wanted.includes(result.left(), age) ? new Found(result.left(), age) : null;
		});
	}

	private CompletionStage<AcquireResult> acquire(LockKey key, String owner, Duration ttl,
			LongFunction<@Nullable Found> sought) {
		AtomicReference<@Nullable Found> found = new AtomicReference<>();
		Holding holder = this.holdings.compute(key, (k, old) -> {
			long now = this.nanoTime.getAsLong();
			if (old != null && old.isOwnedBy(owner, now)) {
				return old.atLeastUntil(now + ttl.toNanos());
			}
			found.set(sought.apply(now));
			return (found.get() != null || (old != null && old.isLive(now))) ? old
					: new Holding(owner, now + ttl.toNanos(), this.fence.incrementAndGet());
		});
		Found result = found.get();
		if (holder == null || result != null) {
			return done(Objects.requireNonNull(result));
		}
		long now = this.nanoTime.getAsLong();
		if (!holder.owner().equals(owner)) {
			return done(new Busy(Duration.ofNanos(Math.max(holder.expiry() - now, 0)), holder.fencingToken()));
		}
		if (holder.fencingToken() % SWEEP_EVERY == 0) {
			this.holdings.values().removeIf((holding) -> !holding.isLive(now));
			this.results.values().removeIf((each) -> !each.isLive(now));
		}
		return done(new Granted(holder.fencingToken()));
	}

	@Override
	public CompletionStage<Boolean> renew(LockKey key, String owner, Duration ttl) {
		long now = this.nanoTime.getAsLong();
		Holding holder = this.holdings.computeIfPresent(key,
				(k, old) -> old.isOwnedBy(owner, now) ? old.atLeastUntil(now + ttl.toNanos()) : old);
		return done(holder != null && holder.isOwnedBy(owner, now));
	}

	@Override
	public CompletionStage<Boolean> release(LockKey key, String owner) {
		return release(key, owner, () -> {
		});
	}

	private CompletionStage<Boolean> release(LockKey key, String owner, Runnable first) {
		long now = this.nanoTime.getAsLong();
		AtomicBoolean released = new AtomicBoolean();
		this.holdings.computeIfPresent(key, (k, old) -> {
			released.set(old.isOwnedBy(owner, now));
			if (!released.get()) {
				return old;
			}
			first.run();
			return null;
		});
		return done(released.get());
	}

	/** Who waits does so in this JVM, and need not look for a result. */
	@Override
	public CompletionStage<Boolean> release(LockKey key, String owner, LeftResult result, boolean awaited) {
		return release(key, owner, () -> {
			ResultSlot slot = result.slot();
			if (slot.replayed()) {
				long now = this.nanoTime.getAsLong();
				this.results.put(new ResultKey(key, slot.name()), new Result(result, now, now + slot.keep().toNanos()));
			}
		});
	}

	@Override
	public boolean isLocal() {
		return true;
	}

	private static <T> CompletionStage<T> done(T value) {
		return CompletableFuture.completedFuture(value);
	}

	private record ResultKey(LockKey lock, String slot) {
	}

	private record Result(LeftResult left, long came, long expiry) {

		boolean isLive(long now) {
			return this.expiry - now > 0;
		}

	}

	private record Holding(String owner, long expiry, long fencingToken) {

		boolean isLive(long now) {
			return this.expiry - now > 0;
		}

		boolean isOwnedBy(String owner, long now) {
			return isLive(now) && this.owner.equals(owner);
		}

		Holding atLeastUntil(long expiry) {
			return (this.expiry - expiry < 0) ? new Holding(this.owner, expiry, this.fencingToken) : this;
		}

	}

}
