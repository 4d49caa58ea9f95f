package io.github.lockstarter.registry.entry;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.registry.lease.Renewals;
import io.github.lockstarter.registry.lease.StoreLease;
import io.github.lockstarter.registry.observe.RegistryObserver;
import io.github.lockstarter.registry.acquisition.Acquisition;
import io.github.lockstarter.registry.acquisition.RegistryContext;
import io.github.lockstarter.registry.runtime.EngineRuntime;
import io.github.lockstarter.store.Capability;
import io.github.lockstarter.store.GroupLockStore;
import io.github.lockstarter.store.LockStore;

/**
 * The locks of a store that are held or waited for in this instance, and their shared
 * resources.
 */
public final class LockEntries {

	private static final int MONITORS = 64;

	static final String CLOSED = "the registry is being closed";

	private final Map<LockKey, LockEntry> entries = new ConcurrentHashMap<>();

	/**
	 * Shared by the entries, since transitions are short. Not {@code synchronized}, which
	 * would pin virtual threads in Java 21 to 23.
	 */
	private final Lock[] monitors = Stream.generate(ReentrantLock::new).limit(MONITORS).toArray(Lock[]::new);

	/** Completed when an entry that is being closed has been removed. */
	private final Map<LockEntry, CompletableFuture<Void>> closing = new ConcurrentHashMap<>();

	private final LockStore store;

	private final Set<Capability> capabilities;

	/** The store, if it grants several locks at once. */
	private final @Nullable GroupLockStore groups;

	private final RegistryContext context;

	private final Renewals renewals;

	private final int maxWaiters;

	private volatile boolean draining;

	private volatile boolean closed;

	/**
	 * Creates the entries of a store.
	 * @param store the store of the locks
	 * @param maxWaiters the largest number of waiters per lock
	 */
	public LockEntries(LockStore store, RegistryContext context, int maxWaiters) {
		this.store = store;
		this.capabilities = store.capabilities();
		this.groups = as(Capability.ACQUIRES_ALL, GroupLockStore.class, store);
		this.context = context;
		this.maxWaiters = maxWaiters;
		this.renewals = new Renewals(() -> leases().iterator(), store, context.runtime());
		store.onReconnect(this.renewals::renewAll);
	}

	/** Admits the acquisition to the queue of its lock, or answers it. */
	void submit(Acquisition acquisition) {
		LockEntry entry = entry(acquisition);
		while (entry != null && !entry.admit(acquisition)) {
			remove(entry);
			entry = entry(acquisition);
		}
	}

	/**
	 * Admits some of the acquisitions of a caller that needs several locks. The leading
	 * acquisitions whose locks are not in use here are sent to the store together. A
	 * caller that has to wait waits only for the first lock, so that it never waits for a
	 * lock while it holds one that follows in the order.
	 * @param acquisitions at least one acquisition, in the order of their keys, none of
	 * them submitted
	 * @return completes with the acquisitions that are answered, or will be; the others
	 * are not submitted, or no longer
	 */
	CompletableFuture<List<Acquisition>> submitAll(Collection<Acquisition> acquisitions) {
		LockGroup group = (this.groups != null && acquisitions.size() > 1) ? new LockGroup(this, this.groups) : null;
		if (group != null) {
			for (Acquisition acquisition : acquisitions) {
				LockEntry entry = group.isFull() ? null : entry(acquisition);
				if (entry == null || !group.add(entry, acquisition)) {
					break;
				}
			}
		}
		if (group == null || group.isEmpty()) {
			Acquisition first = acquisitions.iterator().next();
			submit(first);
			return CompletableFuture.completedFuture(List.of(first));
		}
		return group.ask();
	}

	/** Returns whether a caller that does not wait would be rejected at once. */
	boolean isTaken(LockKey key) {
		LockEntry entry = this.entries.get(key);
		return entry != null && entry.isTaken();
	}

	private @Nullable LockEntry entry(Acquisition acquisition) {
		try {
			LockEntry known = this.entries.get(acquisition.key());
			if (known == null) {
				LockEntry created = new LockEntry(this, acquisition.key());
				known = this.entries.putIfAbsent(acquisition.key(), created);
				return (known != null) ? known : created;
			}
			return known;
		}
		catch (Throwable ex) {
			// A store that returns no handle has failed.
			observer().storeAnswered(acquisition.key(), ex);
			acquisition.fail("the store failed", ex);
			return null;
		}
	}

	/** Removes an acquisition that has been abandoned. */
	void leave(Acquisition acquisition) {
		LockEntry entry = this.entries.get(acquisition.key());
		if (entry != null) {
			entry.leave(acquisition);
		}
	}

	/** Rejects a waiter whose thread must not wait. */
	void reject(Acquisition acquisition) {
		LockEntry entry = this.entries.get(acquisition.key());
		if (entry != null) {
			entry.reject(acquisition);
		}
	}

	/** The lock may have become free. */
	void wake(LockKey key) {
		LockEntry entry = this.entries.get(key);
		if (entry != null) {
			entry.wake();
		}
	}

	/** Returns the lease on a lock, if it is held here. */
	Optional<StoreLease> lease(LockKey key) {
		return Optional.ofNullable(this.entries.get(key)).map(LockEntry::lease);
	}

	/**
	 * Returns the locks that are held or waited for here, in no order.
	 * @return a snapshot of each lock, taken one after the other
	 */
	Stream<LockSnapshot> snapshots() {
		return this.entries.values().stream().map(LockEntry::snapshot);
	}

	/** Returns the leases on locks with a name. */
	Stream<StoreLease> leases(String lockName) {
		return leases().filter((lease) -> lease.key().name().equals(lockName));
	}

	private Stream<StoreLease> leases() {
		return this.entries.values().stream().map(LockEntry::lease).filter(Objects::nonNull);
	}

	/** Admits waiters again, after {@link #drain()} or {@link #releaseAll()}. */
	void open() {
		this.draining = false;
		this.closed = false;
	}

	/** Ends all waiting, also of later callers. Free locks are still granted. */
	void drain() {
		this.draining = true;
		this.entries.values().forEach(LockEntry::stopWaiting);
	}

	/**
	 * Ends all waiting and all leases, and grants no further lock.
	 * @return completes when the store has answered or failed
	 */
	CompletableFuture<Void> releaseAll() {
		this.draining = true;
		this.closed = true;
		return CompletableFuture
			.allOf(this.entries.values().stream().map(this::close).toArray(CompletableFuture[]::new));
	}

	private CompletableFuture<Void> close(LockEntry entry) {
		CompletableFuture<Void> closed = this.closing.computeIfAbsent(entry, (key) -> new CompletableFuture<>());
		entry.close();
		if (this.entries.get(entry.key()) != entry) {
			// The entry may have been removed before.
			remove(entry);
		}
		return closed;
	}

	void remove(LockEntry entry) {
		this.entries.remove(entry.key(), entry);
		CompletableFuture<Void> closed = this.closing.isEmpty() ? null : this.closing.remove(entry);
		if (closed != null) {
			closed.complete(null);
		}
	}

	/** Returns the monitor of an entry. */
	Lock monitor(LockKey key) {
		int hash = key.hashCode();
		return this.monitors[(hash ^ (hash >>> 16)) & (MONITORS - 1)];
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
		return this.context.runtime();
	}

	RegistryObserver observer() {
		return this.context.observer();
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

	/**
	 * Returns whether the store ends a turn and begins the next one in one atomic step.
	 */
	boolean handsOver() {
		return this.capabilities.contains(Capability.HANDS_OVER);
	}

	/**
	 * Returns the handle with the operations of the capability; {@code null} if the store
	 * does not declare it.
	 */
	<T> @Nullable T as(Capability capability, Class<T> type, Object handle) {
		return this.capabilities.contains(capability) ? capability.as(type, handle) : null;
	}

	/** Returns whether other instances may wait for the same locks. */
	boolean isShared() {
		return !this.capabilities.contains(Capability.LOCAL);
	}

}
