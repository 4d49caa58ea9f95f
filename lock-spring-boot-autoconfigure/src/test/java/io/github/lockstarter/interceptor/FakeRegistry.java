package io.github.lockstarter.interceptor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.mockito.Mockito;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.completion.HeldLeases;
import io.github.lockstarter.completion.ReleaseOn;
import io.github.lockstarter.count.LockEventCounter;
import io.github.lockstarter.event.LockEvents;
import io.github.lockstarter.operation.LockedMethod;
import io.github.lockstarter.registry.sharing.SharedLease;
import io.github.lockstarter.registry.sharing.SharingRegistry;
import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.StoredResult;

/**
 * A registry that grants what a test lets it grant, at once or when the test says so, and
 * notes what it was asked for and what was given back.
 */
final class FakeRegistry implements SharingRegistry {

	/** The keys of each attempt. */
	final List<List<LockKey>> asked = new ArrayList<>();

	/** The wait time of each attempt. */
	final List<Duration> waits = new ArrayList<>();

	/** The number of attempts that do not block a thread. */
	int asynchronous;

	/** The executor of the last one. */
	@Nullable Executor executor;

	/** Runs within each attempt. */
	Runnable meanwhile = () -> {
	};

	/** What was given back, in this order, as in {@code a:1} or {@code unused a:1}. */
	final List<String> released = new ArrayList<>();

	/** The result of another call, instead of a lease. */
	@Nullable StoredResult result;

	private final Map<LockKey, SharedLease> leases = new HashMap<>();

	private final Map<LockKey, Supplier<? extends RuntimeException>> failures = new HashMap<>();

	private final Map<LockKey, CompletableFuture<?>> pending = new HashMap<>();

	/** Locks that another thread grants when the caller waits for them. */
	private final Set<LockKey> granted = new HashSet<>();

	/** Returns the context of calls that acquire their locks here. */
	InterceptorContext context(CallerTasks tasks, LastRuns runs) {
		return context(tasks, runs, ReleaseOn.METHOD);
	}

	InterceptorContext context(CallerTasks tasks, LastRuns runs, ReleaseOn releaseOn) {
		LockEventCounter counts = new LockEventCounter();
		LockEvents events = new LockEvents((event) -> {
		}, () -> Runnable::run, () -> counts);
		return new InterceptorContext(() -> this, new CallObserver(counts, runs, events), tasks, releaseOn);
	}

	/** Returns leases that an outer call of the method holds. */
	HeldLeases held(LockedMethod method, String... keys) {
		List<Lease> leases = Arrays.stream(keys).<Lease>map(this::lease).toList();
		return new HeldLeases(method.method(), leases, leases.get(0), ReleaseOn.METHOD);
	}

	/** Lets each attempt for the lock fail. */
	void fail(String key, RuntimeException failure) {
		this.failures.put(LockKey.of(key), () -> failure);
	}

	/** Lets each attempt for the lock fail with a conflict. */
	void hold(String key) {
		LockKey held = LockKey.of(key);
		this.failures.put(held,
				() -> new LockConflictException(held, LockOptions.of(Duration.ofSeconds(1)), Duration.ofSeconds(1)));
	}

	/** Lets the next asynchronous attempt for the lock have this outcome. */
	<T extends CompletableFuture<?>> T pend(String key, T outcome) {
		this.pending.put(LockKey.of(key), outcome);
		return outcome;
	}

	/**
	 * Lets another thread grant the next asynchronous attempt for the lock, not before
	 * the thread of the caller waits for that.
	 * @return completes with the grant
	 */
	CompletableFuture<Lease> grantWhileWaiting(String key) {
		this.granted.add(LockKey.of(key));
		return pend(key, new CompletableFuture<>());
	}

	/** Returns the lease that is granted on the lock. */
	SharedLease lease(String key) {
		return lease(LockKey.of(key));
	}

	private SharedLease lease(LockKey key) {
		return this.leases.computeIfAbsent(key, this::newLease);
	}

	private SharedLease newLease(LockKey key) {
		String name = key.name() + ":" + key.key();
		CompletableFuture<Void> done = CompletableFuture.completedFuture(null);
		SharedLease lease = Mockito.mock(SharedLease.class, name);
		Mockito.when(lease.key()).thenReturn(key);
		Mockito.when(lease.isHeld()).thenReturn(true);
		Mockito.when(lease.releaseAsync()).thenAnswer((call) -> note(name, done));
		Mockito.when(lease.releaseUnused()).thenAnswer((call) -> note("unused " + name, done));
		Mockito.when(lease.releaseAsync(Mockito.any())).thenAnswer((call) -> note("with result " + name, done));
		Mockito.doAnswer((call) -> note(name, null)).when(lease).close();
		Mockito.doAnswer((call) -> note("with result " + name, null)).when(lease).close(Mockito.any());
		return lease;
	}

	private <T> @Nullable T note(String release, @Nullable T value) {
		this.released.add(release);
		return value;
	}

	private List<Lease> grant(List<LockKey> keys, LockOptions options) {
		this.asked.add(keys);
		this.waits.add(options.waitTime());
		this.meanwhile.run();
		for (LockKey key : keys) {
			Supplier<? extends RuntimeException> failure = this.failures.get(key);
			if (failure != null) {
				throw failure.get();
			}
		}
		return keys.stream().<Lease>map(this::lease).toList();
	}

	@SuppressWarnings("unchecked")
	private <T> CompletionStage<T> later(LockKey key, @Nullable Executor executor, Supplier<T> attempt) {
		this.asynchronous++;
		this.executor = executor;
		CompletableFuture<T> pending = (CompletableFuture<T>) this.pending.remove(key);
		boolean whileWaiting = this.granted.remove(key);
		if (pending != null && !whileWaiting && executor instanceof ContentionListener listener) {
			listener.contended();
		}
		try {
			T granted = attempt.get();
			if (pending != null && whileWaiting) {
				grantWhileWaiting(Thread.currentThread(), pending, granted);
			}
			return (pending != null) ? pending : CompletableFuture.completedFuture(granted);
		}
		catch (RuntimeException ex) {
			return (pending != null) ? pending : CompletableFuture.failedFuture(ex);
		}
	}

	private static <T> void grantWhileWaiting(Thread caller, CompletableFuture<T> pending, T granted) {
		Thread other = new Thread(() -> {
			while (caller.getState() != Thread.State.TIMED_WAITING && !pending.isDone()) {
				Thread.yield();
			}
			pending.complete(granted);
		});
		other.setDaemon(true);
		other.start();
	}

	@Override
	public Lease acquire(LockKey key, LockOptions options) {
		return grant(List.of(key), options).get(0);
	}

	@Override
	public List<Lease> acquireAll(Collection<LockKey> keys, LockOptions options) {
		return grant(List.copyOf(keys), options);
	}

	@Override
	public LeaseOrResult acquire(LockKey key, LockOptions options, ResultKey resultKey, long since) {
		SharedLease lease = (SharedLease) acquire(key, options);
		return (this.result != null) ? new LeaseOrResult(null, this.result) : new LeaseOrResult(lease, null);
	}

	@Override
	public CompletionStage<Lease> acquireAsync(LockKey key, LockOptions options, Executor executor) {
		return later(key, executor, () -> acquire(key, options));
	}

	@Override
	public CompletionStage<List<Lease>> acquireAllAsync(Collection<LockKey> keys, LockOptions options,
			Executor executor) {
		return later(keys.iterator().next(), executor, () -> acquireAll(keys, options));
	}

	@Override
	public CompletionStage<LeaseOrResult> acquireAsync(LockKey key, LockOptions options, ResultKey resultKey,
			long since, @Nullable Executor executor) {
		return later(key, executor, () -> acquire(key, options, resultKey, since));
	}

	@Override
	public void prepareSharing(String lockName) {
	}

	@Override
	public CompletionStage<Lease> acquireAsync(LockKey key, LockOptions options) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Optional<Lease> tryAcquire(LockKey key, LockOptions options) {
		throw new UnsupportedOperationException();
	}

	@Override
	public CompletionStage<Optional<Lease>> tryAcquireAsync(LockKey key, LockOptions options) {
		throw new UnsupportedOperationException();
	}

	@Override
	public LockOptions options(String lockName) {
		throw new UnsupportedOperationException();
	}

}
