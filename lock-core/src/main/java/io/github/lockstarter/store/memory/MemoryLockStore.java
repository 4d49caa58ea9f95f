package io.github.lockstarter.store.memory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireAllResult;
import io.github.lockstarter.store.AcquireAllResult.AllGranted;
import io.github.lockstarter.store.AcquireAllResult.FirstHeld;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Found;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.Capability;
import io.github.lockstarter.store.GroupLockStore;
import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.ResultLimits;
import io.github.lockstarter.store.ResultQuery;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.StoredResult;
import io.github.lockstarter.store.StoredResults;
import io.github.lockstarter.store.TokenStoredLock;
import io.github.lockstarter.store.memory.BoundedResults.Result;

/**
 * Stores locks in memory. They work within this instance only, and end with it. Intended
 * for tests and for applications that run as a single instance.
 */
public final class MemoryLockStore implements GroupLockStore {

	/** The number of grants between two sweeps of leases that were not released. */
	private static final int SWEEP_EVERY = 1024;

	private static final Set<Capability> CAPABILITIES = Set.of(Capability.KEEPS_RESULTS, Capability.HOLDS_FOR_TOKENS,
			Capability.ACQUIRES_ALL, Capability.LOCAL);

	/**
	 * Shared by acquisitions of one lock, and exclusive for an acquisition of several, so
	 * that no lock is granted during the latter. A concurrent release is harmless.
	 */
	private final ReadWriteLock acquiring = new ReentrantReadWriteLock();

	private final ConcurrentMap<LockKey, StoredLease> leases = new ConcurrentHashMap<>();

	private final BoundedResults results;

	private final AtomicLong fence = new AtomicLong();

	private final LongSupplier nanoTime;

	private final Consumer<String> dropped;

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
		this(nanoTime, ResultLimits.defaults(), (lockName) -> {
		});
	}

	/**
	 * Creates a store with other limits.
	 * @param nanoTime a clock like {@link System#nanoTime()}
	 * @param limits the limits of the results that are kept for later duplicates
	 * @param dropped called with the name of the lock for each result that is dropped
	 * before its time, because a limit was reached
	 */
	public MemoryLockStore(LongSupplier nanoTime, ResultLimits limits, Consumer<String> dropped) {
		this.nanoTime = nanoTime;
		this.results = new BoundedResults(limits);
		this.dropped = dropped;
	}

	@Override
	public Set<Capability> capabilities() {
		return CAPABILITIES;
	}

	@Override
	public TokenStoredLock lock(LockKey key) {
		return new MemoryLock(key);
	}

	@Override
	public CompletionStage<AcquireAllResult> acquireAll(List<Claim> claims) {
		this.acquiring.writeLock().lock();
		try {
			for (int i = 0; i < claims.size(); i++) {
				Held held = ((MemoryLock) claims.get(i).lock()).heldByAnother(claims.get(i).owner());
				if (held != null) {
					return done(new FirstHeld(i, held));
				}
			}
			return done(new AllGranted(claims.stream()
				.map((each) -> (Granted) ((MemoryLock) each.lock()).grant(AcquireCommand.of(each.owner(), each.ttl())))
				.toList()));
		}
		finally {
			this.acquiring.writeLock().unlock();
		}
	}

	@Override
	public Optional<StoredResults> results() {
		return Optional.of(new MemoryResults());
	}

	/**
	 * Removes all locks and all results, for tests. Fencing tokens continue to grow.
	 */
	public void clear() {
		this.leases.clear();
		this.results.removeIf((each) -> true);
	}

	private static <T> CompletionStage<T> done(T value) {
		return CompletableFuture.completedFuture(value);
	}

	/**
	 * A lock in the map. All waiters are in this instance, and need no notification by
	 * the store.
	 */
	private final class MemoryLock implements TokenStoredLock {

		private final LockKey key;

		MemoryLock(LockKey key) {
			this.key = key;
		}

		@Override
		public CompletionStage<AcquireResult> acquire(AcquireCommand command) {
			MemoryLockStore.this.acquiring.readLock().lock();
			try {
				return done(grant(command));
			}
			finally {
				MemoryLockStore.this.acquiring.readLock().unlock();
			}
		}

		private @Nullable Held heldByAnother(String owner) {
			long now = now();
			StoredLease holder = MemoryLockStore.this.leases.get(this.key);
			return (holder != null && holder.isLive(now) && !holder.owner().equals(owner)) ? holder.held(now) : null;
		}

		private AcquireResult grant(AcquireCommand command) {
			String owner = command.owner();
			AtomicReference<@Nullable Found> found = new AtomicReference<>();
			StoredLease holder = MemoryLockStore.this.leases.compute(this.key, (k, old) -> {
				long now = now();
				long expiry = now + command.ttl().toNanos();
				if (old != null && old.isOwnedBy(owner, now)) {
					return old.atLeastUntil(expiry);
				}
				found.set(find(command.query(), now));
				return (found.get() != null || (old != null && old.isLive(now))) ? old
						: new StoredLease(owner, expiry, MemoryLockStore.this.fence.incrementAndGet());
			});
			Found result = found.get();
			if (holder == null || result != null) {
				return Objects.requireNonNull(result);
			}
			long now = now();
			if (!holder.owner().equals(owner)) {
				return holder.held(now);
			}
			if (holder.fencingToken() % SWEEP_EVERY == 0) {
				MemoryLockStore.this.leases.values().removeIf((each) -> !each.isLive(now));
				MemoryLockStore.this.results.removeIf((each) -> !each.getValue().isLive(now));
			}
			return new Granted(holder.fencingToken());
		}

		private @Nullable Found find(@Nullable ResultQuery query, long now) {
			if (query == null) {
				return null;
			}
			Result result = MemoryLockStore.this.results.get(new BoundedResults.Key(this.key, query.key().name()));
			if (result == null || !result.isLive(now)) {
				return null;
			}
			Duration age = Duration.ofNanos(now - result.stored());
			return query.matches(result.result(), age) ? new Found(result.result(), age) : null;
		}

		@Override
		public CompletionStage<Boolean> renew(String owner, Duration ttl) {
			long now = now();
			StoredLease holder = MemoryLockStore.this.leases.computeIfPresent(this.key,
					(k, old) -> old.isOwnedBy(owner, now) ? old.atLeastUntil(now + ttl.toNanos()) : old);
			return done(holder != null && holder.isOwnedBy(owner, now));
		}

		@Override
		public CompletionStage<Boolean> release(String owner, @Nullable StoredResult result) {
			long now = now();
			AtomicBoolean released = new AtomicBoolean();
			List<BoundedResults.Key> dropped = new ArrayList<>();
			MemoryLockStore.this.leases.computeIfPresent(this.key, (k, old) -> {
				released.set(old.isOwnedBy(owner, now));
				if (!released.get()) {
					return old;
				}
				dropped.addAll(keep(result, now));
				return null;
			});
			dropped.forEach((each) -> MemoryLockStore.this.dropped.accept(each.lock().name()));
			return done(released.get());
		}

		@Override
		public CompletionStage<Boolean> releaseAfter(String owner, Duration time) {
			long now = now();
			AtomicBoolean released = new AtomicBoolean();
			MemoryLockStore.this.leases.computeIfPresent(this.key, (k, old) -> {
				released.set(old.isOwnedBy(owner, now));
				return released.get()
						? new StoredLease(StoredLock.ended(owner), now + time.toNanos(), old.fencingToken()) : old;
			});
			return done(released.get());
		}

		/**
		 * Keeps a result only for replay: the waiters are in this instance, and receive
		 * the result there. Returns the keys of the results that were dropped for it.
		 */
		private List<BoundedResults.Key> keep(@Nullable StoredResult result, long now) {
			if (result == null || !result.key().replayed()) {
				return List.of();
			}
			ResultKey resultKey = result.key();
			return MemoryLockStore.this.results.put(new BoundedResults.Key(this.key, resultKey.name()),
					new Result(result, now, now + resultKey.keep().toNanos()));
		}

		@Override
		public CompletionStage<Optional<Duration>> remaining() {
			long now = now();
			return done(Optional.ofNullable(MemoryLockStore.this.leases.get(this.key))
				.filter((lease) -> lease.isLive(now))
				.map((lease) -> Duration.ofNanos(lease.expiry() - now)));
		}

		private long now() {
			return MemoryLockStore.this.nanoTime.getAsLong();
		}

	}

	private final class MemoryResults implements StoredResults {

		@Override
		public CompletionStage<Long> count(String lockName) {
			return done(MemoryLockStore.this.results.count(live(lockName)));
		}

		@Override
		public CompletionStage<Long> remove(String lockName) {
			return done(MemoryLockStore.this.results.removeIf(live(lockName)));
		}

		private Predicate<Map.Entry<BoundedResults.Key, Result>> live(String lockName) {
			long now = MemoryLockStore.this.nanoTime.getAsLong();
			return (each) -> each.getKey().lock().name().equals(lockName) && each.getValue().isLive(now);
		}

	}

	private record StoredLease(String owner, long expiry, long fencingToken) {

		boolean isLive(long now) {
			return this.expiry - now > 0;
		}

		boolean isOwnedBy(String owner, long now) {
			return isLive(now) && this.owner.equals(owner);
		}

		Held held(long now) {
			return new Held(Duration.ofNanos(Math.max(this.expiry - now, 0)), this.fencingToken);
		}

		StoredLease atLeastUntil(long expiry) {
			return (this.expiry - expiry < 0) ? new StoredLease(this.owner, expiry, this.fencingToken) : this;
		}

	}

}
