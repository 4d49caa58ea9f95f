package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;
import org.springframework.util.ReflectionUtils;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConfigurationException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.registry.acquisition.Acquisition;
import io.github.lockstarter.registry.acquisition.Delivery;
import io.github.lockstarter.registry.acquisition.LeaseAcquisition;
import io.github.lockstarter.registry.acquisition.RegistryContext;
import io.github.lockstarter.registry.acquisition.ResultAcquisition;
import io.github.lockstarter.registry.entry.LockEntries;
import io.github.lockstarter.registry.entry.LockEntriesByStore;
import io.github.lockstarter.registry.observe.LockObservationConvention;
import io.github.lockstarter.registry.observe.RegistryObserver;
import io.github.lockstarter.registry.runtime.EngineRuntime;
import io.github.lockstarter.registry.runtime.OwnerTokens;
import io.github.lockstarter.registry.runtime.ThreadedRuntime;
import io.github.lockstarter.registry.sharing.SharingRegistry;
import io.github.lockstarter.store.Capability;
import io.github.lockstarter.store.LockStore;
import io.github.lockstarter.store.LockStores;
import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.ResultQuery;

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

	private final RegistryContext context;

	private final LockEntriesByStore entries;

	private final AcquisitionSubmitter submitter;

	private final CallerAnswers answers;

	/**
	 * Creates a registry with the same options for all locks, for applications without
	 * Spring Boot. At most 64 callers of this instance wait for one lock.
	 * @param store the store, which the caller closes after the registry
	 * @param options the options of {@link #options(String)}
	 */
	public DefaultLockRegistry(LockStore store, LockOptions options) {
		this(store, RegistrySettings.of(options));
	}

	/**
	 * Creates a registry of locks in one store.
	 * @param store the store, which the caller closes after the registry
	 */
	public DefaultLockRegistry(LockStore store, RegistrySettings settings) {
		this(LockStores.of(store), settings);
	}

	/**
	 * Creates a registry of locks in one or several stores.
	 * @param stores the stores, which the caller closes after the registry
	 */
	public DefaultLockRegistry(LockStores stores, RegistrySettings settings) {
		EngineRuntime runtime = (settings.runtime() != null) ? settings.runtime() : new ThreadedRuntime();
		this.stores = stores;
		this.options = settings.options();
		this.answers = new CallerAnswers(settings.conflictFactory());
		this.context = new RegistryContext(runtime,
				new RegistryObserver(settings.counts(), settings.observations(), settings.losses(), stores, runtime),
				new OwnerTokens(runtime.random()));
		this.entries = new LockEntriesByStore(stores,
				(store) -> new LockEntries(store, this.context, settings.maxWaiters()));
		this.submitter = new AcquisitionSubmitter(this.entries, runtime.callbacks());
	}

	/**
	 * Sets the convention for observations, which replaces the default and a global one.
	 * @param convention the convention, or {@code null} for none
	 */
	public void setObservationConvention(@Nullable LockObservationConvention convention) {
		observer().setConvention(convention);
	}

	/**
	 * Sets a limit for the threads that wait. A caller whose thread must not wait is
	 * rejected as soon as it finds the lock held, like one that finds the wait queue
	 * full.
	 */
	public void limit(WaitingThreadLimit waitingThreads) {
		this.submitter.limit(waitingThreads);
	}

	/**
	 * Sets what observes releases, which replaces the previous one.
	 * @param listeners called for each attempt, on the thread of its caller; returns what
	 * is called when the holder releases the lock that it has used, or {@code null}
	 */
	public void onRelease(Supplier<@Nullable Consumer<LockKey>> listeners) {
		observer().onRelease(listeners);
	}

	@Override
	public Optional<Lease> tryAcquire(LockKey key, LockOptions options) {
		Acquisition acquisition = forThisThread(key, options);
		return this.answers.optionalLease(acquisition, this.submitter.await(acquisition));
	}

	@Override
	public Lease acquire(LockKey key, LockOptions options) {
		Acquisition acquisition = forThisThread(key, options);
		return this.answers.lease(acquisition, this.submitter.await(acquisition));
	}

	@Override
	public CompletionStage<Optional<Lease>> tryAcquireAsync(LockKey key, LockOptions options) {
		CompletableFuture<Optional<Lease>> result = new CompletableFuture<>();
		return this.submitter.submit(
				forLease(key, options, CallerAnswers.async(result, this.answers::optionalLease, executor(null))),
				result);
	}

	@Override
	public CompletionStage<Lease> acquireAsync(LockKey key, LockOptions options) {
		return acquireOn(key, options, executor(null));
	}

	@Override
	public CompletionStage<Lease> acquireAsync(LockKey key, LockOptions options, Executor executor) {
		Assert.notNull(executor, "There must be an executor");
		return acquireOn(key, options, executor(executor));
	}

	private CompletionStage<Lease> acquireOn(LockKey key, LockOptions options, Executor executor) {
		CompletableFuture<Lease> result = new CompletableFuture<>();
		return this.submitter.submit(forLease(key, options, CallerAnswers.async(result, this.answers::lease, executor)),
				result);
	}

	@Override
	public List<Lease> acquireAll(Collection<LockKey> keys, LockOptions options) {
		try {
			return new BlockingGroupAcquisition(this.entries, options, this.submitter, this.answers,
					(key) -> forThisThread(key, options))
				.begin(keys)
				.join();
		}
		catch (CompletionException ex) {
			ReflectionUtils.rethrowRuntimeException(ex.getCause());
			throw ex;
		}
	}

	@Override
	public CompletionStage<List<Lease>> acquireAllAsync(Collection<LockKey> keys, LockOptions options,
			Executor executor) {
		Assert.notNull(executor, "There must be an executor");
		Executor reliable = executor(executor);
		return new AsyncGroupAcquisition(this.entries, options, reliable,
				(key, lease) -> forLease(key, options, CallerAnswers.async(lease, this.answers::lease, reliable)))
			.begin(keys);
	}

	@Override
	public LeaseOrResult acquire(LockKey key, LockOptions options, ResultKey resultKey, long since) {
		Acquisition acquisition = forResult(key, options, this.submitter.toThisThread(options), resultKey, since);
		return this.answers.leaseOrResult(acquisition, this.submitter.await(acquisition));
	}

	@Override
	public CompletionStage<LeaseOrResult> acquireAsync(LockKey key, LockOptions options, ResultKey resultKey,
			long since, @Nullable Executor executor) {
		CompletableFuture<LeaseOrResult> result = new CompletableFuture<>();
		Delivery delivery = CallerAnswers.async(result, this.answers::leaseOrResult, executor(executor));
		return this.submitter.submit(forResult(key, options, delivery, resultKey, since), result);
	}

	/**
	 * Returns an executor that rejects no task; by default, the one that callers share.
	 */
	private Executor executor(@Nullable Executor ofCaller) {
		Executor shared = runtime().callbacks();
		return (ofCaller != null) ? new ReliableExecutor(ofCaller, shared) : shared;
	}

	private Acquisition forThisThread(LockKey key, LockOptions options) {
		return forLease(key, options, this.submitter.toThisThread(options));
	}

	private Acquisition forLease(LockKey key, LockOptions options, Delivery delivery) {
		return new LeaseAcquisition(key, options, delivery, this.context);
	}

	private Acquisition forResult(LockKey key, LockOptions options, Delivery delivery, ResultKey resultKey,
			long since) {
		return new ResultAcquisition(key, options, delivery, this.context,
				new ResultQuery(resultKey, since, Duration.ZERO));
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
		Assert.state(!runtime().isClosed(), "A registry that is closed cannot be opened again");
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
		if (runtime().isClosed()) {
			return;
		}
		CompletableFuture<Void> released = releaseAll();
		EngineRuntime.Alarm timeout = runtime().schedule(() -> released.complete(null), CLOSE_TIMEOUT.toNanos());
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
		runtime().close();
	}

	LockEntriesByStore entries() {
		return this.entries;
	}

	AcquisitionSubmitter submitter() {
		return this.submitter;
	}

	CallerAnswers answers() {
		return this.answers;
	}

	LockStores stores() {
		return this.stores;
	}

	RegistryContext context() {
		return this.context;
	}

	EngineRuntime runtime() {
		return this.context.runtime();
	}

	private RegistryObserver observer() {
		return this.context.observer();
	}

}
