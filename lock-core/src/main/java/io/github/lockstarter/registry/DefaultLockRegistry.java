package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLostEvent;
import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockCounts;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.registry.entry.LockEntries;
import io.github.lockstarter.registry.entry.LockEntriesByStore;
import io.github.lockstarter.registry.observe.DefaultLockObservationConvention;
import io.github.lockstarter.registry.observe.LockObservationConvention;
import io.github.lockstarter.registry.observe.RegistryObserver;
import io.github.lockstarter.registry.acquisition.Acquisition;
import io.github.lockstarter.registry.acquisition.Answer;
import io.github.lockstarter.registry.acquisition.Answer.Failed;
import io.github.lockstarter.registry.acquisition.Answer.GivenResult;
import io.github.lockstarter.registry.acquisition.Answer.Leased;
import io.github.lockstarter.registry.acquisition.Answer.Refused;
import io.github.lockstarter.registry.acquisition.Delivery;
import io.github.lockstarter.registry.acquisition.LeaseAcquisition;
import io.github.lockstarter.registry.acquisition.ResultAcquisition;
import io.github.lockstarter.registry.runtime.EngineRuntime;
import io.github.lockstarter.registry.runtime.OwnerTokens;
import io.github.lockstarter.registry.runtime.ThreadedRuntime;
import io.github.lockstarter.registry.sharing.SharedLease;
import io.github.lockstarter.registry.sharing.SharingRegistry;
import io.github.lockstarter.store.Capability;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.LockStores;
import io.github.lockstarter.store.ResultKey;

/**
 * Grants the locks of one or several {@link LockStores stores}, each of which has its own
 * commands and renewals. For any number of waiters and leases, it has one thread for the
 * steps of the engine. Code of the application runs on other threads: asynchronous
 * answers without an executor of the caller on some, and lost leases and reports to
 * operators on others. These threads end when they are idle.
 */
public final class DefaultLockRegistry implements SharingRegistry, AutoCloseable {

	private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

	private final LockStores stores;

	private final Function<String, LockOptions> options;

	private final EngineRuntime runtime;

	private final RegistryObserver observer;

	private final OwnerTokens owners;

	private final LockEntriesByStore entries;

	/** For all threads that wait for an answer. */
	private final Delivery blocking;

	private volatile WaitingThreads waitingThreads = WaitingThreads.UNLIMITED;

	private volatile Consumer<LockConflictException> conflicts = (conflict) -> {
	};

	/**
	 * Creates a registry with the same options for all locks, for applications without
	 * Spring Boot. At most 64 callers of this JVM wait for one lock.
	 * @param store the store, which the caller closes after the registry
	 * @param options the options of {@link #options(String)}
	 */
	public DefaultLockRegistry(LockStore store, LockOptions options) {
		this(store, (name) -> options, 64, (loss) -> {
		}, new LockCounts(), ObservationRegistry.NOOP);
	}

	/**
	 * Creates a registry with the clock, the threads and the randomness of the JVM.
	 * @param store the store of the locks
	 * @param options returns the default options of a lock by its name
	 * @param maxWaiters the largest number of waiters per lock; further callers are
	 * refused at once
	 * @param losses is notified of every lost lease, on a thread for listeners
	 * @param counts counts the events
	 * @param observations observes attempts and leases, with the names of
	 * {@link DefaultLockObservationConvention} unless another convention is set
	 */
	public DefaultLockRegistry(LockStore store, Function<String, LockOptions> options, int maxWaiters,
			Consumer<LeaseLostEvent> losses, LockCounts counts, ObservationRegistry observations) {
		this(store, options, maxWaiters, losses, counts, observations, new ThreadedRuntime());
	}

	/**
	 * Creates a registry with the clock, the threads and the randomness of a runtime.
	 * @param runtime the runtime; it is closed with the registry
	 */
	public DefaultLockRegistry(LockStore store, Function<String, LockOptions> options, int maxWaiters,
			Consumer<LeaseLostEvent> losses, LockCounts counts, ObservationRegistry observations,
			EngineRuntime runtime) {
		this(LockStores.of(store), options, maxWaiters, losses, counts, observations, runtime);
	}

	/**
	 * Creates a registry of locks in one or several stores.
	 * @param stores the stores of the locks
	 */
	public DefaultLockRegistry(LockStores stores, Function<String, LockOptions> options, int maxWaiters,
			Consumer<LeaseLostEvent> losses, LockCounts counts, ObservationRegistry observations,
			EngineRuntime runtime) {
		this.stores = stores;
		this.options = options;
		this.runtime = runtime;
		this.observer = new RegistryObserver(counts, observations, losses, stores, runtime);
		this.owners = new OwnerTokens(runtime.random());
		this.blocking = new Delivery.Blocking(runtime.callbacks(), null);
		this.entries = new LockEntriesByStore(stores,
				(store) -> new LockEntries(store, runtime, this.observer, maxWaiters));
	}

	/**
	 * Sets the convention for observations, which replaces the default and a global one.
	 * @param convention the convention, or {@code null} for none
	 */
	public void setObservationConvention(@Nullable LockObservationConvention convention) {
		this.observer.setConvention(convention);
	}

	/**
	 * Sets the customizer of conflicts, which replaces the previous one. It is called for
	 * each conflict before its caller receives it.
	 * @param conflicts customizes a conflict, on a thread of its caller
	 */
	public void onConflict(Consumer<LockConflictException> conflicts) {
		this.conflicts = conflicts;
	}

	/**
	 * Sets a limit for the threads that wait. A caller whose thread must not wait is
	 * refused as soon as it finds the lock held, like one that finds the wait queue full.
	 */
	public void limit(WaitingThreads waitingThreads) {
		this.waitingThreads = waitingThreads;
	}

	/**
	 * Sets what observes releases, which replaces the previous one.
	 * @param listeners called for each attempt, on the thread of its caller; returns what
	 * is called when the holder releases the lock that it has used, or {@code null}
	 */
	public void onRelease(Supplier<@Nullable Consumer<LockKey>> listeners) {
		this.observer.onRelease(listeners);
	}

	@Override
	public Optional<Lease> tryAcquire(LockKey key, LockOptions options) {
		Acquisition acquisition = forLease(key, options, blocking(options));
		return optionalLease(acquisition, await(acquisition));
	}

	@Override
	public Lease acquire(LockKey key, LockOptions options) {
		Acquisition acquisition = forLease(key, options, blocking(options));
		return lease(acquisition, await(acquisition));
	}

	@Override
	public CompletionStage<Optional<Lease>> tryAcquireAsync(LockKey key, LockOptions options) {
		CompletableFuture<Optional<Lease>> result = new CompletableFuture<>();
		Delivery delivery = async(result, DefaultLockRegistry::optionalLease, this.runtime.callbacks());
		return submit(forLease(key, options, delivery), result);
	}

	@Override
	public CompletionStage<Lease> acquireAsync(LockKey key, LockOptions options) {
		return acquireOn(key, options, this.runtime.callbacks());
	}

	@Override
	public CompletionStage<Lease> acquireAsync(LockKey key, LockOptions options, Executor executor) {
		Assert.notNull(executor, "There must be an executor");
		return acquireOn(key, options, new ReliableExecutor(executor, this.runtime.callbacks()));
	}

	private CompletionStage<Lease> acquireOn(LockKey key, LockOptions options, Executor executor) {
		CompletableFuture<Lease> result = new CompletableFuture<>();
		return submit(forLease(key, options, async(result, this::lease, executor)), result);
	}

	@Override
	public List<Lease> acquireAll(Collection<LockKey> keys, LockOptions options) {
		SortedSet<LockKey> wanted = new TreeSet<>(keys);
		Map<LockKey, Lease> leases = new TreeMap<>();
		Set<Acquisition> open = new LinkedHashSet<>();
		try {
			LockKey taken = firstRefusing(wanted, options);
			if (taken != null) {
				Acquisition first = forLease(taken, options, blocking(options));
				leases.put(taken, lease(first, await(first)));
				wanted.remove(taken);
			}
			wanted.forEach((key) -> open.add(forLease(key, options, blocking(options))));
			while (!open.isEmpty()) {
				for (Acquisition asked : submitAll(open)) {
					leases.put(asked.key(), lease(asked, awaitAnswer(asked)));
					open.remove(asked);
				}
			}
			leases.values().stream().filter((lease) -> !lease.isHeld()).findFirst().ifPresent((lease) -> {
				throw new LeaseLostException(lease.key());
			});
			return List.copyOf(leases.values());
		}
		catch (InterruptedException ex) {
			giveUp(open, leases.values());
			Thread.currentThread().interrupt();
			throw new LockStoreException(open.iterator().next().key(), "interrupted while waiting for it", ex);
		}
		catch (Throwable ex) {
			giveUp(open, leases.values());
			throw ex;
		}
	}

	private List<Acquisition> submitAll(Collection<Acquisition> open) throws InterruptedException {
		try {
			return this.entries.submitAll(open).get();
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Returns the first lock that is refused at once, without a command to the store for
	 * any lock.
	 */
	private @Nullable LockKey firstRefusing(Collection<LockKey> keys, LockOptions options) {
		return options.waitTime().isZero() ? this.entries.firstTaken(keys) : null;
	}

	private void giveUp(Collection<Acquisition> open, Collection<Lease> leases) {
		for (Acquisition acquisition : open) {
			acquisition.abandon();
			this.entries.leave(acquisition);
		}
		leases.forEach(DefaultLockRegistry::releaseUnused);
		leases.forEach(Lease::close);
	}

	static CompletionStage<Void> releaseUnused(Lease lease) {
		return (lease instanceof SharedLease shared) ? shared.releaseUnused() : lease.releaseAsync();
	}

	@Override
	public CompletionStage<List<Lease>> acquireAllAsync(Collection<LockKey> keys, LockOptions options,
			Executor executor) {
		Assert.notNull(executor, "There must be an executor");
		SortedSet<LockKey> wanted = new TreeSet<>(keys);
		LockKey taken = firstRefusing(wanted, options);
		if (taken != null) {
			CompletableFuture<Lease> refused = acquireAsync(taken, options, executor).toCompletableFuture();
			if (refused.isCompletedExceptionally()) {
				CompletableFuture<List<Lease>> result = new CompletableFuture<>();
				refused.whenComplete((lease, failure) -> result.completeExceptionally(failure));
				return result;
			}
			// It has just become free.
			if (!refused.cancel(false)) {
				refused.thenAccept(DefaultLockRegistry::releaseUnused);
			}
		}
		GroupAttempt attempt = new GroupAttempt(this.entries, new ReliableExecutor(executor, this.runtime.callbacks()));
		wanted.forEach(
				(key) -> attempt.add((result, answers) -> forLease(key, options, async(result, this::lease, answers))));
		return attempt.begin();
	}

	@Override
	public LeaseOrResult acquire(LockKey key, LockOptions options, ResultKey resultKey, long since) {
		Acquisition acquisition = forResult(key, options, blocking(options), resultKey, since);
		return leaseOrResult(acquisition, await(acquisition));
	}

	@Override
	public CompletionStage<LeaseOrResult> acquireAsync(LockKey key, LockOptions options, ResultKey resultKey,
			long since, @Nullable Executor executor) {
		Executor answers = (executor != null) ? new ReliableExecutor(executor, this.runtime.callbacks())
				: this.runtime.callbacks();
		CompletableFuture<LeaseOrResult> result = new CompletableFuture<>();
		Delivery delivery = async(result, this::leaseOrResult, answers);
		return submit(forResult(key, options, delivery, resultKey, since), result);
	}

	private Delivery blocking(LockOptions options) {
		return (!options.waitTime().isZero() && this.waitingThreads.areLimited())
				? new Delivery.Blocking(this.runtime.callbacks(), new CompletableFuture<>()) : this.blocking;
	}

	private Acquisition forLease(LockKey key, LockOptions options, Delivery delivery) {
		return new LeaseAcquisition(key, options, delivery, this.runtime, this.observer, this.owners);
	}

	private Acquisition forResult(LockKey key, LockOptions options, Delivery delivery, ResultKey resultKey,
			long since) {
		return new ResultAcquisition(key, options, delivery, this.runtime, this.observer, this.owners, resultKey,
				since);
	}

	/**
	 * Returns a delivery to a caller that blocks no thread.
	 * @param value returns the value of the result, or throws its failure
	 */
	static <T> Delivery async(CompletableFuture<T> result, BiFunction<Acquisition, Answer, T> value,
			Executor executor) {
		Runnable contention = (executor instanceof ContentionListener caller) ? caller::contended : () -> {
		};
		return new Delivery.Async(executor, contention, (acquisition, given) -> {
			try {
				if (!result.complete(value.apply(acquisition, given))) {
					acquisition.giveBack(given);
				}
			}
			catch (Throwable ex) {
				result.completeExceptionally(ex);
			}
		});
	}

	private static Optional<Lease> optionalLease(Acquisition acquisition, Answer given) {
		throwFailure(given);
		return (given instanceof Leased leased) ? Optional.of(leased.lease()) : Optional.empty();
	}

	private Lease lease(Acquisition acquisition, Answer given) {
		throwRefusal(acquisition, given);
		return ((Leased) given).lease();
	}

	private LeaseOrResult leaseOrResult(Acquisition acquisition, Answer given) {
		throwRefusal(acquisition, given);
		return (given instanceof GivenResult result) ? new LeaseOrResult(null, result.result())
				: new LeaseOrResult(((Leased) given).lease(), null);
	}

	/** Throws the exception for a caller that is refused, or whose acquisition fails. */
	void throwRefusal(Acquisition acquisition, Answer given) {
		throwFailure(given);
		if (given instanceof Refused refused) {
			LockConflictException conflict = acquisition.conflict(refused);
			this.conflicts.accept(conflict);
			throw conflict;
		}
	}

	private static void throwFailure(Answer given) {
		if (given instanceof Failed failed) {
			throw failed.failure();
		}
	}

	@Override
	public void prepareSharing(String lockName) {
		LockStore store = this.stores.of(lockName);
		if (!store.capabilities().contains(Capability.KEEPS_RESULTS)) {
			throw new LockConfigurationException(
					"A %s cannot keep results, so those of lock '%s' cannot be shared or replayed."
						.formatted(store.getClass().getSimpleName(), lockName),
					"Remove SHARE, replay and idempotent work, choose another lock.store, or another one for this lock with lock.names.%s.store, or support Capability.KEEPS_RESULTS in your own store."
						.formatted(lockName));
		}
		store.expectWaiters();
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
		Assert.state(!this.runtime.isClosed(), "A registry that is closed cannot be opened again");
		this.entries.open();
	}

	/**
	 * Ends all waiting: current and future waiters fail with a
	 * {@link LockStoreException}. Free locks are still granted, for work that has begun.
	 */
	public void drain() {
		this.entries.drain();
	}

	/**
	 * Releases all locks, and waits for the store for at most 10 s. Work that is still
	 * running under them has lost its leases. Later callers fail with a
	 * {@link LockStoreException}.
	 */
	public void release() {
		if (this.runtime.isClosed()) {
			return;
		}
		CompletableFuture<Void> released = releaseAll();
		EngineRuntime.Alarm timeout = this.runtime.schedule(() -> released.complete(null), CLOSE_TIMEOUT.toNanos());
		released.join();
		timeout.cancel();
	}

	/**
	 * Releases all locks like {@link #release()}, without waiting for the store.
	 * @return completes when the store has answered or failed
	 */
	CompletableFuture<Void> releaseAll() {
		return this.entries.releaseAll();
	}

	/** Releases all locks, and ends all threads. */
	@Override
	public void close() {
		release();
		this.runtime.close();
	}

	LockEntriesByStore entries() {
		return this.entries;
	}

	LockStores stores() {
		return this.stores;
	}

	EngineRuntime runtime() {
		return this.runtime;
	}

	RegistryObserver observer() {
		return this.observer;
	}

	OwnerTokens owners() {
		return this.owners;
	}

	/**
	 * Submits an acquisition whose caller blocks no thread. The caller may give up at any
	 * time, even before the call, by completing the result itself.
	 */
	<T> CompletableFuture<T> submit(Acquisition acquisition, CompletableFuture<T> result) {
		this.entries.submit(acquisition);
		if (!acquisition.deliverRefusal()) {
			result.whenComplete((value, failure) -> {
				if (acquisition.abandon()) {
					this.entries.leave(acquisition);
				}
			});
		}
		return result;
	}

	/** Submits an acquisition whose thread waits for the answer. */
	private Answer await(Acquisition acquisition) {
		this.entries.submit(acquisition);
		try {
			return awaitAnswer(acquisition);
		}
		catch (InterruptedException ex) {
			if (acquisition.abandon()) {
				this.entries.leave(acquisition);
			}
			Thread.currentThread().interrupt();
			throw new LockStoreException(acquisition.key(), "interrupted while waiting for it", ex);
		}
	}

	private Answer awaitAnswer(Acquisition acquisition) throws InterruptedException {
		if (!acquisition.awaitContention()) {
			return acquisition.await();
		}
		if (!this.waitingThreads.begin()) {
			this.entries.refuse(acquisition);
			return acquisition.await();
		}
		try {
			return acquisition.await();
		}
		finally {
			this.waitingThreads.end();
		}
	}

}
