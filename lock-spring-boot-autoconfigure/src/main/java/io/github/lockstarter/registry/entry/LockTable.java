package io.github.lockstarter.registry.entry;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.registry.lease.Renewals;
import io.github.lockstarter.registry.lease.StoreLease;
import io.github.lockstarter.registry.observe.RegistryObserver;
import io.github.lockstarter.registry.request.AcquireRequest;
import io.github.lockstarter.registry.runtime.EngineRuntime;
import io.github.lockstarter.store.Capability;
import io.github.lockstarter.store.LockStore;

/**
 * The locks that are held or wanted in this JVM, and what they share.
 */
public final class LockTable {

	static final String CLOSED = "the registry is being closed";

	private final Map<LockKey, LockEntry> entries = new ConcurrentHashMap<>();

	private final LockStore store;

	private final Set<Capability> capabilities;

	private final EngineRuntime runtime;

	private final RegistryObserver observer;

	private final Renewals renewals;

	private final int maxWaiters;

	private volatile boolean draining;

	private volatile boolean closed;

	/**
	 * Creates a table.
	 * @param store where the locks live
	 * @param maxWaiters how many callers may wait for one lock
	 */
	public LockTable(LockStore store, EngineRuntime runtime, RegistryObserver observer, int maxWaiters) {
		this.store = store;
		this.capabilities = store.capabilities();
		this.runtime = runtime;
		this.observer = observer;
		this.maxWaiters = maxWaiters;
		this.renewals = new Renewals(store, runtime);
		store.onReconnect(this.renewals::renewAll);
	}

	/** Admits the request to the queue of its lock, or answers it. */
	public void submit(AcquireRequest request) {
		LockEntry entry = entry(request);
		while (entry != null && !entry.admit(request)) {
			remove(entry);
			entry = entry(request);
		}
	}

	private @Nullable LockEntry entry(AcquireRequest request) {
		try {
			return this.entries.computeIfAbsent(request.key(), (key) -> new LockEntry(this, key));
		}
		catch (RuntimeException ex) {
			// A store that has no handle has failed.
			this.observer.storeAnswered(request.key(), ex);
			request.fail("the store failed", ex);
			return null;
		}
	}

	/** Removes a request that has been abandoned. */
	public void leave(AcquireRequest request) {
		LockEntry entry = this.entries.get(request.key());
		if (entry != null) {
			entry.leave(request);
		}
	}

	/** The lock may have become free. */
	public void wake(LockKey key) {
		LockEntry entry = this.entries.get(key);
		if (entry != null) {
			entry.wake();
		}
	}

	/** Returns the lease on a lock, if it is held here. */
	public Optional<StoreLease> lease(LockKey key) {
		return Optional.ofNullable(this.entries.get(key)).flatMap(LockEntry::lease);
	}

	/**
	 * Returns the locks that are held or waited for here, in no order.
	 * @return each as it was at a moment of its own
	 */
	public Stream<LockSnapshot> snapshots() {
		return this.entries.values().stream().map(LockEntry::snapshot);
	}

	/** Returns the leases on locks of a name. */
	public Stream<StoreLease> leases(String lockName) {
		return this.entries.values()
			.stream()
			.filter((entry) -> entry.key().name().equals(lockName))
			.flatMap((entry) -> entry.lease().stream());
	}

	/** Admits waiters again, after {@link #drain()} or {@link #releaseAll()}. */
	public void open() {
		this.draining = false;
		this.closed = false;
	}

	/** Lets no caller wait any more. Free locks are still granted. */
	public void drain() {
		this.draining = true;
		this.entries.values().forEach(LockEntry::stopWaiting);
	}

	/**
	 * Ends all waiting and all holding, and grants no lock from now on.
	 * @return completes when the store has answered or failed
	 */
	public CompletableFuture<Void> releaseAll() {
		this.draining = true;
		this.closed = true;
		return CompletableFuture
			.allOf(this.entries.values().stream().map(LockEntry::close).toArray(CompletableFuture[]::new));
	}

	/** Returns whether no lock is held or wanted. */
	public boolean isEmpty() {
		return this.entries.isEmpty();
	}

	void remove(LockEntry entry) {
		this.entries.remove(entry.key(), entry);
	}

	boolean isDraining() {
		return this.draining;
	}

	boolean isClosed() {
		return this.closed;
	}

	LockStore store() {
		return this.store;
	}

	EngineRuntime runtime() {
		return this.runtime;
	}

	RegistryObserver observer() {
		return this.observer;
	}

	Renewals renewals() {
		return this.renewals;
	}

	int maxWaiters() {
		return this.maxWaiters;
	}

	/** Returns whether the store notifies waiters of a release. */
	boolean isNotified() {
		return this.capabilities.contains(Capability.NOTIFIES);
	}

	/** Returns whether other instances may wait for the same locks. */
	boolean isShared() {
		return !this.capabilities.contains(Capability.LOCAL);
	}

}
