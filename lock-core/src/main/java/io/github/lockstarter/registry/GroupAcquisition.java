package io.github.lockstarter.registry;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.registry.acquisition.Acquisition;
import io.github.lockstarter.registry.entry.LockEntriesByStore;
import io.github.lockstarter.registry.sharing.SharedLease;

/**
 * The acquisition of several locks, all or none, in the order of their keys. It is the
 * same for a caller whose thread waits and for one that blocks no thread; they differ in
 * the way they wait for answers. The caller may give up at any time by completing the
 * result itself.
 */
abstract class GroupAcquisition {

	private final LockEntriesByStore entries;

	private final LockOptions options;

	/** The locks to acquire after the first one, if that is acquired alone. */
	private final SortedSet<LockKey> later = new TreeSet<>();

	/** A caller may give up on another thread while parts are added. */
	private final SortedMap<LockKey, GroupPart> parts = new ConcurrentSkipListMap<>();

	/** The acquisitions that are not answered yet, in the order of the keys. */
	private final Set<Acquisition> open = new LinkedHashSet<>();

	private final CompletableFuture<List<Lease>> result = new CompletableFuture<>();

	/** The value of the result, unless the caller gives up. */
	private volatile @Nullable List<Lease> granted;

	/** Whether the attempt has ended without a grant. */
	private volatile boolean givenUp;

	GroupAcquisition(LockEntriesByStore entries, LockOptions options) {
		this.entries = entries;
		this.options = options;
	}

	/**
	 * Begins with all locks. A caller that does not wait begins with a lock that is taken
	 * in this instance, if there is one: it is rejected without a command to a store,
	 * unless the lock has just become free. Then it acquires the others after that lock;
	 * it waits for none of them.
	 */
	final CompletableFuture<List<Lease>> begin(Collection<LockKey> keys) {
		this.result.whenComplete((leases, failure) -> {
			if (leases == null || leases != this.granted) {
				this.givenUp = true;
				giveUp();
			}
		});
		this.later.addAll(keys);
		LockKey taken = this.options.waitTime().isZero() ? this.entries.firstTaken(this.later) : null;
		if (taken != null) {
			this.later.remove(taken);
			add(taken);
		}
		proceed();
		return this.result;
	}

	private void add(LockKey key) {
		CompletableFuture<Lease> lease = new CompletableFuture<>();
		Acquisition acquisition = create(key, lease);
		this.parts.put(key, new GroupPart(acquisition, lease));
		this.open.add(acquisition);
	}

	/**
	 * Submits acquisitions until all are answered. Immediate answers are processed in a
	 * loop, not by recursion: there may be many locks.
	 */
	final void proceed() {
		try {
			boolean answered = true;
			while (answered && hasOpen()) {
				CompletableFuture<List<Acquisition>> submitted = this.entries.submitAll(this.open);
				if (this.givenUp) {
					// Includes the acquisitions that were submitted after the caller gave
					// up.
					giveUp();
				}
				answered = await(submitted);
			}
			if (answered) {
				end();
			}
		}
		catch (Throwable ex) {
			// No lease that was granted before must be left behind.
			fail(ex);
		}
	}

	private boolean hasOpen() {
		if (this.open.isEmpty()) {
			this.later.forEach(this::add);
			this.later.clear();
		}
		return !this.open.isEmpty();
	}

	/**
	 * Creates the acquisition of a lock.
	 * @param lease the lease, which is completed when the acquisition is answered
	 */
	abstract Acquisition create(LockKey key, CompletableFuture<Lease> lease);

	/**
	 * Waits for the answers, {@linkplain #granted records} them, or {@linkplain #fail
	 * fails} with the first rejection.
	 * @param submitted completes with the acquisitions that are answered, or will be
	 * @return whether all were granted; {@code false} if that is not known yet and
	 * {@link #proceed} is called later, or after a failure
	 */
	abstract boolean await(CompletableFuture<List<Acquisition>> submitted);

	/** Returns the lease of an acquisition, in the future. */
	final CompletableFuture<Lease> lease(Acquisition acquisition) {
		return Objects.requireNonNull(this.parts.get(acquisition.key())).lease();
	}

	/** Records that the lease of an acquisition is complete. */
	final void granted(Acquisition acquisition) {
		this.open.remove(acquisition);
	}

	/** Returns the first acquisition that is not answered yet. */
	final Acquisition firstOpen() {
		return this.open.iterator().next();
	}

	private void end() {
		List<Lease> all = this.parts.values().stream().map((part) -> part.lease().join()).toList();
		for (Lease lease : all) {
			if (!lease.isHeld()) {
				fail(new LeaseLostException(lease.key()));
				return;
			}
		}
		this.granted = all;
		this.result.complete(all);
	}

	/** Ends the attempt when the leases that were granted have been released. */
	final void fail(Throwable failure) {
		giveUp().whenComplete((released, ignored) -> this.result.completeExceptionally(failure));
	}

	/**
	 * Abandons the open acquisitions, and releases the granted leases. May be called
	 * twice.
	 */
	private CompletableFuture<?> giveUp() {
		List<SharedLease> granted = new ArrayList<>();
		this.parts.values().forEach((part) -> {
			CompletableFuture<Lease> lease = part.lease();
			if (!lease.cancel(false) && !lease.isCompletedExceptionally()) {
				granted.add((SharedLease) lease.join());
			}
			part.acquisition().abandon();
			this.entries.leave(part.acquisition());
		});
		return releaseUnused(granted);
	}

	/** Releases leases whose work has not begun. */
	abstract CompletableFuture<?> releaseUnused(List<SharedLease> leases);

	/** The part of one lock. */
	private record GroupPart(Acquisition acquisition, CompletableFuture<Lease> lease) {
	}

}
