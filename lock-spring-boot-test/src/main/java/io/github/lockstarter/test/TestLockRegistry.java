package io.github.lockstarter.test;

import java.time.Duration;
import java.util.List;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.registry.DefaultLockRegistry;
import io.github.lockstarter.registry.LockInspector;
import io.github.lockstarter.registry.RegistrySettings;
import io.github.lockstarter.registry.entry.LockSnapshot;

/**
 * A {@link LockRegistry} with locks in memory that a test controls. The test can simulate
 * that another instance holds a lock, that a lease is lost, or that the store is
 * unavailable. Everything else works as in production.
 * <p>
 * In an application context, {@link AutoConfigureLocks @AutoConfigureLocks} provides the
 * registry, which controls the locks of the application. A test without an application
 * context creates the registry, passes it to the code under test, and closes it.
 * <p>
 * A lock is written as in {@link LockKey#of}: {@code "orders:1"} has the name
 * {@code orders} and the key {@code 1}.
 */
public final class TestLockRegistry implements LockRegistry, AutoCloseable {

	/** As without any property. */
	private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(10));

	/** As without any property. */
	private static final int MAX_WAITERS = 64;

	private static final Duration UNTIL_CLOSED = Duration.ofDays(365);

	private final DefaultLockRegistry registry;

	private final TestLockStore store;

	private final LockInspector inspector;

	/**
	 * Creates a registry for a test without an application context. Its options are those
	 * of an application that sets no properties: a ttl of 10 s and no wait time.
	 */
	public TestLockRegistry() {
		this(new TestLockStore());
	}

	private TestLockRegistry(TestLockStore store) {
		this(new DefaultLockRegistry(store, RegistrySettings.of(OPTIONS).withMaxWaiters(MAX_WAITERS)), store);
	}

	/**
	 * Creates a controller of a registry.
	 * @param registry the registry
	 * @param store the store of the registry
	 */
	TestLockRegistry(DefaultLockRegistry registry, TestLockStore store) {
		this.registry = registry;
		this.store = store;
		this.inspector = new LockInspector(registry);
	}

	/**
	 * Simulates that another instance holds the lock until the returned holder is closed,
	 * or the locks are {@linkplain #reset() reset}. It behaves like a running holder,
	 * which renews its lock.
	 * @param lock the name of the lock, or its name and key as in {@code "orders:1"}
	 * @return the holder, which can release the lock
	 * @throws IllegalStateException if the lock is held already
	 */
	public OtherHolder heldElsewhere(String lock) {
		return heldElsewhere(lock, UNTIL_CLOSED);
	}

	/**
	 * Simulates that another instance holds the lock for the given time, or until the
	 * returned holder is closed or the locks are {@linkplain #reset() reset}, if that is
	 * earlier.
	 * @param lock the name of the lock, or its name and key as in {@code "orders:1"}
	 * @param time the time; 1 ms to 365 days
	 * @return the holder, which can release the lock earlier
	 * @throws IllegalStateException if the lock is held already
	 */
	public OtherHolder heldElsewhere(String lock, Duration time) {
		LockKey key = LockKey.of(lock);
		OtherHolder other = this.store.grantElsewhere(key, LockOptions.of(time).ttl());
		Assert.state(other != null,
				() -> "Lock %s cannot be held elsewhere: it is %s".formatted(text(key), state(key)));
		return other;
	}

	/**
	 * Ends the lease of the code under test as if it was lost. The lease is no longer
	 * held when this method returns. Actions that the holder has registered with
	 * {@link Lease#onLost}, and listeners for
	 * {@link io.github.lockstarter.LeaseLostEvent}, run soon afterwards, on another
	 * thread.
	 * @param lock the name of the lock, or its name and key as in {@code "orders:1"}
	 * @throws IllegalStateException if this instance does not hold the lock
	 */
	public void lose(String lock) {
		LockKey key = LockKey.of(lock);
		LockSnapshot.Holder holder = holder(key);
		boolean ended = holder != null
				&& this.inspector.forceRelease(key, holder.fencingToken()).toCompletableFuture().join();
		Assert.state(ended,
				() -> "Lock %s cannot be lost: it is %s. %s".formatted(text(key), state(key), locksHeldHere()));
	}

	/**
	 * Simulates an unavailable store until {@link #restoreStore()}: locks cannot be
	 * acquired, released or renewed. Locks that are held elsewhere stay held.
	 */
	public void failStore() {
		this.store.setFailing(true);
	}

	/**
	 * Ends the failure that {@link #failStore()} has started.
	 */
	public void restoreStore() {
		this.store.setFailing(false);
	}

	/**
	 * Returns whether the lock is held, by the code under test or elsewhere.
	 * @param lock the name of the lock, or its name and key as in {@code "orders:1"}
	 */
	public boolean isHeld(String lock) {
		return this.store.isHeld(LockKey.of(lock));
	}

	/**
	 * Returns the number of callers that wait for the lock.
	 * @param lock the name of the lock, or its name and key as in {@code "orders:1"}
	 */
	public int waiters(String lock) {
		return snapshot(LockKey.of(lock)).map((seen) -> seen.waiting().size()).orElse(0);
	}

	/**
	 * Releases all locks, removes all stored results, and ends a failure of the store.
	 * Leases that are still held are lost, and waiters fail with a
	 * {@link io.github.lockstarter.LockStoreException}. Fencing tokens continue to grow.
	 * With {@link AutoConfigureLocks @AutoConfigureLocks}, this method is called after
	 * each test method, so tests that run in parallel must not share an application
	 * context.
	 */
	public void reset() {
		restoreStore();
		this.registry.release();
		this.store.clear();
		this.registry.open();
	}

	/** Releases all locks, and ends all threads. */
	@Override
	public void close() {
		this.registry.close();
	}

	@Override
	public Optional<Lease> tryAcquire(LockKey key, LockOptions options) {
		return this.registry.tryAcquire(key, options);
	}

	@Override
	public Lease acquire(LockKey key, LockOptions options) {
		return this.registry.acquire(key, options);
	}

	@Override
	public CompletionStage<Optional<Lease>> tryAcquireAsync(LockKey key, LockOptions options) {
		return this.registry.tryAcquireAsync(key, options);
	}

	@Override
	public CompletionStage<Lease> acquireAsync(LockKey key, LockOptions options) {
		return this.registry.acquireAsync(key, options);
	}

	@Override
	public CompletionStage<Lease> acquireAsync(LockKey key, LockOptions options, Executor executor) {
		return this.registry.acquireAsync(key, options, executor);
	}

	@Override
	public List<Lease> acquireAll(Collection<LockKey> keys, LockOptions options) {
		return this.registry.acquireAll(keys, options);
	}

	@Override
	public CompletionStage<List<Lease>> acquireAllAsync(Collection<LockKey> keys, LockOptions options,
			Executor executor) {
		return this.registry.acquireAllAsync(keys, options, executor);
	}

	@Override
	public LockOptions options(String lockName) {
		return this.registry.options(lockName);
	}

	/** Describes the holder of a lock. */
	String state(LockKey key) {
		LockSnapshot.Holder holder = holder(key);
		if (holder != null) {
			return "held by the code under test, with fencing token %d".formatted(holder.fencingToken());
		}
		return this.store.isHeld(key) ? "held, but not by the code under test" : "free";
	}

	/** Describes the locks that the code under test holds. */
	String locksHeldHere() {
		List<String> held = this.inspector.snapshot()
			.stream()
			.filter((seen) -> seen.held() != null)
			.map((seen) -> text(seen.key()))
			.sorted()
			.toList();
		return "The code under test holds %s".formatted(held.isEmpty() ? "no lock" : String.join(", ", held));
	}

	/** Returns a lock as written in a test. */
	static String text(LockKey key) {
		return key.key().isEmpty() ? key.name() : key.name() + ":" + key.key();
	}

	private LockSnapshot.@Nullable Holder holder(LockKey key) {
		return snapshot(key).map(LockSnapshot::held).orElse(null);
	}

	private Optional<LockSnapshot> snapshot(LockKey key) {
		return this.inspector.snapshot().stream().filter((seen) -> seen.key().equals(key)).findFirst();
	}

}
