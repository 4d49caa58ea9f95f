package io.github.lockstarter.test;

import java.time.Duration;
import java.util.List;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockRegistry;
import io.github.lockstarter.registry.DefaultLockRegistry;
import io.github.lockstarter.registry.LockInspector;
import io.github.lockstarter.registry.entry.LockSnapshot;

/**
 * A {@link LockRegistry} with locks in memory that a test controls: it lets a lock be
 * held by another instance, be lost, or be out of reach. Everything else is as in
 * production.
 * <p>
 * In an application context it comes from {@link AutoConfigureLocks @AutoConfigureLocks},
 * and controls the locks of the application. Without one it is created by the test, given
 * to the code under test, and closed by the test.
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
	 * of an application that sets no property: a ttl of 10 s, and no waiting.
	 */
	public TestLockRegistry() {
		this(new TestLockStore());
	}

	private TestLockRegistry(TestLockStore store) {
		this(new DefaultLockRegistry(store, (name) -> OPTIONS, MAX_WAITERS, (lost) -> {
		}, new LockCounts(), ObservationRegistry.NOOP), store);
	}

	/**
	 * Creates control over a registry.
	 * @param registry the registry
	 * @param store the store of the registry
	 */
	TestLockRegistry(DefaultLockRegistry registry, TestLockStore store) {
		this.registry = registry;
		this.store = store;
		this.inspector = new LockInspector(registry);
	}

	/**
	 * Lets another instance hold the lock until the returned holder is closed, or the
	 * locks are {@linkplain #reset() reset}. It is seen as a living holder, which renews
	 * its lock.
	 * @param lock the name of the lock, or its name and key as in {@code "orders:1"}
	 * @return releases the lock
	 * @throws IllegalStateException if the lock is held already
	 */
	public OtherHolder heldElsewhere(String lock) {
		return heldElsewhere(lock, UNTIL_CLOSED);
	}

	/**
	 * Lets another instance hold the lock for a time, and at most until the returned
	 * holder is closed or the locks are {@linkplain #reset() reset}.
	 * @param lock the name of the lock, or its name and key as in {@code "orders:1"}
	 * @param time how long; 1 ms to 365 days
	 * @return releases the lock earlier
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
	 * Ends the lease that the code under test holds, as if it had been lost: it is not
	 * held any more when this method returns. What the holder has registered with
	 * {@link Lease#onLost}, and listeners to a
	 * {@link io.github.lockstarter.LeaseLostEvent}, run soon after, on another thread.
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
	 * Lets the store fail until {@link #restoreStore()}, as if it could not be reached:
	 * locks cannot be acquired, released or renewed. Locks that are held elsewhere stay
	 * so.
	 */
	public void failStore() {
		this.store.setFailing(true);
	}

	/**
	 * Ends what {@link #failStore()} began.
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
	 * Returns how many callers wait for the lock.
	 * @param lock the name of the lock, or its name and key as in {@code "orders:1"}
	 */
	public int waiters(String lock) {
		return snapshot(LockKey.of(lock)).map((seen) -> seen.waiting().size()).orElse(0);
	}

	/**
	 * Releases all locks, forgets all stored results, and ends a failure of the store.
	 * What still holds a lease has lost it; waiters are answered with a
	 * {@link io.github.lockstarter.LockStoreException}. Fencing tokens go on growing.
	 * With {@link AutoConfigureLocks @AutoConfigureLocks} this happens after each test
	 * method. So tests that run in parallel must not share an application context.
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

	/** Describes who holds a lock. */
	String state(LockKey key) {
		LockSnapshot.Holder holder = holder(key);
		if (holder != null) {
			return "held by the code under test, with fencing token %d".formatted(holder.fencingToken());
		}
		return this.store.isHeld(key) ? "held, but not by the code under test" : "free";
	}

	/** Says which locks the code under test holds. */
	String locksHeldHere() {
		List<String> held = this.inspector.snapshot()
			.stream()
			.filter((seen) -> seen.held() != null)
			.map((seen) -> text(seen.key()))
			.sorted()
			.toList();
		return "The code under test holds %s".formatted(held.isEmpty() ? "no lock" : String.join(", ", held));
	}

	/** Returns a lock as a test writes it. */
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
