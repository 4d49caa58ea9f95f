package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Function;

import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLostEvent;
import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.share.SharedLease;
import io.github.lockstarter.share.SharingRegistry;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.ReconnectNotifications;
import io.github.lockstarter.store.ReleaseNotifications;
import io.github.lockstarter.store.ResultSlot;
import io.github.lockstarter.store.ResultStore;

/**
 * Hands out the locks of a {@link LockStore}. However many callers wait and leases are
 * held, it has one thread that keeps the time, and as many as there are processors for
 * what the application does with losses, and with asynchronous answers where it gives no
 * executor; all end when they are idle.
 */
public final class StoreLockRegistry implements SharingRegistry, AutoCloseable {

	private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

	private final Map<LockKey, LocalLock> locks = new ConcurrentHashMap<>();

	private final ScheduledThreadPoolExecutor timer = EngineThreads.timer();

	private final ThreadPoolExecutor answers = EngineThreads.answers();

	private final Engine engine;

	private final Function<String, LockOptions> options;

	private volatile boolean draining;

	private volatile boolean closed;

	/**
	 * Creates a registry.
	 * @param store where the locks live
	 * @param options how locks are taken by default, by name
	 * @param maxWaiters how many callers may wait for one lock; whoever comes then is
	 * refused at once
	 * @param losses is told of every lost lease
	 * @param counts counts what happens
	 * @param observations is told of attempts and leases, as {@link LockContext} says
	 */
	public StoreLockRegistry(LockStore store, Function<String, LockOptions> options, int maxWaiters,
			Consumer<LeaseLostEvent> losses, LockCounts counts, ObservationRegistry observations) {
		this.options = options;
		Renewals renewals = new Renewals(store, this.timer);
		this.engine = new Engine(store, this.timer, this.answers, renewals, new OutageLog(), losses, counts,
				observations, maxWaiters);
		if (store instanceof ReconnectNotifications able) {
			able.onReconnect(renewals::renewAll);
		}
	}

	@Override
	public Optional<Lease> tryAcquire(LockKey key, LockOptions options) {
		return await(join(Waiter.blocking(new Attempt(this.engine, key, options), this.answers)));
	}

	@Override
	public Lease acquire(LockKey key, LockOptions options) {
		Waiter waiter = join(Waiter.blocking(new Attempt(this.engine, key, options), this.answers));
		return await(waiter).orElseThrow(waiter::conflict);
	}

	@Override
	public CompletionStage<Optional<Lease>> tryAcquireAsync(LockKey key, LockOptions options) {
		CompletableFuture<Optional<Lease>> result = new CompletableFuture<>();
		joinAsync(Waiter.async(new Attempt(this.engine, key, options), this.answers), result,
				(waiter, lease) -> result.complete(lease));
		return result;
	}

	@Override
	public CompletionStage<Lease> acquireAsync(LockKey key, LockOptions options) {
		return acquireWith(Waiter.async(new Attempt(this.engine, key, options), this.answers),
				(waiter, lease) -> lease);
	}

	@Override
	public CompletionStage<Lease> acquireAsync(LockKey key, LockOptions options, Executor executor) {
		Assert.notNull(executor, "There must be an executor");
		return acquireWith(
				Waiter.async(new Attempt(this.engine, key, options), new ReliableExecutor(executor, this.answers)),
				(waiter, lease) -> lease);
	}

	@Override
	public Acquisition acquire(LockKey key, LockOptions options, ResultSlot slot, long since) {
		Waiter waiter = join(
				Waiter.blocking(new Attempt(this.engine, key, options), this.answers).sharing(slot, since));
		return acquisition(waiter, await(waiter)).orElseThrow(waiter::conflict);
	}

	@Override
	public CompletionStage<Acquisition> acquireAsync(LockKey key, LockOptions options, ResultSlot slot, long since,
			@Nullable Executor executor) {
		Executor answers = (executor != null) ? new ReliableExecutor(executor, this.answers) : this.answers;
		return acquireWith(Waiter.async(new Attempt(this.engine, key, options), answers).sharing(slot, since),
				StoreLockRegistry::acquisition);
	}

	private static Optional<Acquisition> acquisition(Waiter waiter, Optional<Lease> lease) {
		boolean conflict = lease.isEmpty() && waiter.result() == null;
		return conflict ? Optional.empty()
				: Optional.of(new Acquisition((SharedLease) lease.orElse(null), waiter.result()));
	}

	@Override
	public void prepareSharing() {
		LockStore store = this.engine.store();
		if (!(store instanceof ResultStore)) {
			throw new LockConfigurationException(
					"A %s cannot keep results, so nothing can be shared or replayed."
						.formatted(store.getClass().getSimpleName()),
					"Remove SHARE and replay from the annotations, choose another lock.store, or, if the store is your own, implement ResultStore.");
		}
		if (store instanceof ReleaseNotifications able) {
			able.expectWaiting();
		}
	}

	/** Acquires without holding a thread, with a conflict as a failure. */
	private <T> CompletionStage<T> acquireWith(Waiter waiter,
			BiFunction<Waiter, Optional<Lease>, Optional<T>> acquired) {
		CompletableFuture<T> result = new CompletableFuture<>();
		joinAsync(waiter, result,
				(joined, lease) -> acquired.apply(joined, lease)
					.map(result::complete)
					.orElseGet(() -> result.completeExceptionally(joined.conflict())));
		return result;
	}

	@Override
	public LockOptions options(String lockName) {
		return this.options.apply(lockName);
	}

	/**
	 * Admits callers again, after {@link #drain()} or {@link #release()}.
	 * @throws IllegalStateException after {@link #close()}
	 */
	public void open() {
		Assert.state(!this.timer.isShutdown(), "A registry that is closed cannot be opened again");
		this.draining = false;
		this.closed = false;
	}

	/**
	 * Lets nobody wait any more: who does is answered with a {@link LockStoreException}.
	 * Free locks are still granted, for work that has begun.
	 */
	public void drain() {
		this.draining = true;
		this.locks.values().forEach(LocalLock::stopWaiting);
	}

	/**
	 * Releases all locks, and waits for it, for 10 s at most. What is still being done
	 * under them has lost them. Whoever asks for a lock from now on is answered with a
	 * {@link LockStoreException}.
	 */
	public void release() {
		this.draining = true;
		this.closed = true;
		CompletableFuture.allOf(this.locks.values().stream().map(LocalLock::close).toArray(CompletableFuture[]::new))
			.completeOnTimeout(null, CLOSE_TIMEOUT.toSeconds(), TimeUnit.SECONDS)
			.join();
	}

	/** Releases all locks, and ends all threads. */
	@Override
	public void close() {
		release();
		this.timer.shutdownNow();
		this.answers.shutdown();
	}

	Engine engine() {
		return this.engine;
	}

	/** The lock may have become free. */
	void wake(LockKey key) {
		LocalLock lock = this.locks.get(key);
		if (lock != null) {
			lock.wake();
		}
	}

	/** Returns those that are held or wanted here. */
	Map<LockKey, LocalLock> locks() {
		return this.locks;
	}

	boolean isDraining() {
		return this.draining;
	}

	boolean isClosed() {
		return this.closed;
	}

	void remove(LockKey key, LocalLock lock) {
		this.locks.remove(key, lock);
	}

	/**
	 * Joins with a caller that holds no thread, and may leave at any time: by completing
	 * the result itself, in whatever way.
	 * @param answered completes the result, or returns {@code false} if it is too late
	 */
	void joinAsync(Waiter waiter, CompletableFuture<?> result, BiPredicate<Waiter, Optional<Lease>> answered) {
		join(waiter).answer().whenComplete((lease, failure) -> {
			if (failure != null) {
				leave(waiter);
				result.completeExceptionally(failure);
			}
			else if (!answered.test(waiter, lease)) {
				lease.ifPresent(Lease::releaseAsync);
			}
		});
		result.whenComplete((value, failure) -> waiter.cancel());
	}

	private Waiter join(Waiter waiter) {
		LockKey key = waiter.key();
		LocalLock lock = this.locks.computeIfAbsent(key, this::localLock);
		while (!lock.join(waiter)) {
			remove(key, lock);
			lock = this.locks.computeIfAbsent(key, this::localLock);
		}
		return waiter;
	}

	private LocalLock localLock(LockKey key) {
		return new LocalLock(this.engine, key, this);
	}

	private void leave(Waiter waiter) {
		waiter.giveBack();
		LocalLock lock = this.locks.get(waiter.key());
		if (lock != null) {
			lock.leave(waiter);
		}
	}

	private Optional<Lease> await(Waiter waiter) {
		try {
			return waiter.answer().get();
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() instanceof LockException cause) ? cause
					: new LockStoreException(waiter.key(), "the store failed", ex.getCause());
		}
		catch (InterruptedException ex) {
			if (waiter.cancel()) {
				leave(waiter);
			}
			else {
				waiter.answer().thenAccept((lease) -> lease.ifPresent(Lease::releaseAsync));
			}
			Thread.currentThread().interrupt();
			throw new LockStoreException(waiter.key(), "interrupted while waiting for it", ex);
		}
	}

}
