package io.github.lockstarter.registry.lease;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.registry.observe.HoldObservation;
import io.github.lockstarter.registry.acquisition.Acquisition;
import io.github.lockstarter.registry.sharing.SharedLease;
import io.github.lockstarter.store.LockStore.Renewal;
import io.github.lockstarter.store.ReactiveTransaction;
import io.github.lockstarter.store.ReactiveTransactionalStoredLock;
import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.StoredResult;
import io.github.lockstarter.store.TransactionalStoredLock;

/**
 * A lease on a lock in a store. It ends once: by its release or by its loss.
 */
public final class StoreLease implements SharedLease {

	private static final Log logger = LogFactory.getLog(StoreLease.class);

	/** Created on demand, because there may be many leases and few of them need it. */
	private static final AtomicReferenceFieldUpdater<StoreLease, CompletableFuture<Void>> RELEASED = future("released");

	private static final AtomicReferenceFieldUpdater<StoreLease, CompletableFuture<Void>> LOST = future("lost");

	private static final AtomicIntegerFieldUpdater<StoreLease> STATE = AtomicIntegerFieldUpdater
		.newUpdater(StoreLease.class, "state");

	/** Neither released nor lost. */
	private static final int OPEN = 0;

	private static final int ENDED = 1;

	/** Its end has been reported to operators. */
	private static final int REPORTED = 2;

	private final LeasedLock lock;

	private final Executor executor;

	private final @Nullable ResultKey resultKey;

	private final Turn turn;

	private final long fencingToken;

	/** Observes the lease, if it is observed. */
	private final @Nullable HoldObservation hold;

	private final @Nullable Consumer<LockKey> releaseListener;

	private final LeaseTerm term;

	private volatile int state = OPEN;

	private volatile boolean unused;

	private volatile @Nullable CompletableFuture<Void> released;

	private volatile @Nullable CompletableFuture<Void> lost;

	/**
	 * Creates a lease.
	 * @param holder the acquisition of the holder; the lease does not keep a reference to
	 * it
	 */
	public StoreLease(LeasedLock lock, Acquisition holder, Turn turn, long fencingToken) {
		this.lock = lock;
		this.executor = holder.executor();
		this.resultKey = holder.resultKey();
		this.turn = turn;
		this.fencingToken = fencingToken;
		this.releaseListener = holder.releaseListener();
		this.term = new LeaseTerm(holder.options(), turn, now());
		this.hold = lock.observer().hold(holder.observation());
	}

	private static AtomicReferenceFieldUpdater<StoreLease, CompletableFuture<Void>> future(String field) {
		@SuppressWarnings({ "unchecked", "rawtypes" })
		Class<CompletableFuture<Void>> type = (Class) CompletableFuture.class;
		return AtomicReferenceFieldUpdater.newUpdater(StoreLease.class, type, field);
	}

	/** Completes when the lock has been released or lost. */
	private CompletableFuture<Void> released() {
		CompletableFuture<Void> known = this.released;
		return (known != null) ? known : make(RELEASED);
	}

	/** Completes when the lease is lost. */
	private CompletableFuture<Void> lost() {
		CompletableFuture<Void> known = this.lost;
		return (known != null) ? known : make(LOST);
	}

	private CompletableFuture<Void> make(AtomicReferenceFieldUpdater<StoreLease, CompletableFuture<Void>> field) {
		field.compareAndSet(this, null, new CompletableFuture<>());
		return field.get(this);
	}

	@Override
	public LockKey key() {
		return this.lock.key();
	}

	@Override
	public long fencingToken() {
		return this.fencingToken;
	}

	@Override
	public boolean isHeld() {
		return !isEnded() && this.term.isHeld(now());
	}

	@Override
	public Duration remaining() {
		return isEnded() ? Duration.ZERO : this.term.remaining(now());
	}

	@Override
	public void onLost(Runnable action) {
		lost().thenRun(() -> listeners().execute(() -> {
			try {
				action.run();
			}
			catch (Throwable ex) {
				logger.error("The action for the loss of lock '%s' failed".formatted(key().name()), ex);
			}
		}));
	}

	@Override
	public CompletionStage<Void> releaseAsync() {
		return elsewhere(release(null, false));
	}

	@Override
	public CompletionStage<Void> releaseAsync(String result) {
		return elsewhere(release(result, false));
	}

	@Override
	public CompletionStage<Void> releaseUnused() {
		this.unused = true;
		return releaseAsync();
	}

	@Override
	public boolean joinsTransactions() {
		return this.lock.transactional() != null;
	}

	@Override
	public boolean holdUntilCommit(Object transaction) {
		TransactionalStoredLock stored = this.lock.transactional();
		if (!isHeld() || stored == null) {
			return isHeld();
		}
		this.term.setCommitting(true);
		return stored.holdUntilCommit(Turn.storeToken(this.fencingToken), transaction);
	}

	@Override
	public boolean joinsReactiveTransactions() {
		return this.lock.reactiveTransactional() != null;
	}

	@Override
	public CompletionStage<Boolean> holdUntilCommit(ReactiveTransaction transaction, @Nullable String result) {
		ReactiveTransactionalStoredLock stored = this.lock.reactiveTransactional();
		if (!isHeld() || stored == null) {
			return CompletableFuture.completedFuture(isHeld());
		}
		this.term.setCommitting(true);
		StoredResult kept = (result != null && this.resultKey != null) ? stored(this.resultKey, result) : null;
		return stored.holdUntilCommit(Turn.storeToken(this.fencingToken), kept, transaction);
	}

	@Override
	public void transactionEnded() {
		this.term.setCommitting(false);
	}

	@Override
	public void keepInTransaction(String result, Object transaction) {
		TransactionalStoredLock stored = this.lock.transactional();
		if (stored != null && this.resultKey != null) {
			stored.keepInTransaction(stored(this.resultKey, result), transaction);
		}
	}

	private StoredResult stored(ResultKey key, String result) {
		return new StoredResult(key, result, Turn.storeToken(this.fencingToken));
	}

	/**
	 * Dependent actions of the application run on the executor of the caller, and on a
	 * copy of the stage.
	 */
	private CompletionStage<Void> elsewhere(CompletableFuture<Void> released) {
		CompletableFuture<Void> notified = new CompletableFuture<>();
		released.thenRun(() -> this.executor.execute(() -> {
			try {
				observeRelease();
			}
			finally {
				notified.complete(null);
			}
		}));
		return notified;
	}

	@Override
	public void close() {
		release(null, true).join();
		observeRelease();
	}

	@Override
	public void close(String result) {
		release(result, true).join();
		observeRelease();
	}

	/** A loss is reported separately. */
	private void observeRelease() {
		if (!isLost()) {
			report(Event.RELEASED);
		}
	}

	/** Reports the end of the lease to operators, once. */
	private void report(Event end) {
		if (STATE.compareAndSet(this, ENDED, REPORTED)) {
			this.lock.observer().ended(key(), end, this.term.since(), request());
			if (this.hold != null) {
				this.hold.end(end);
			}
		}
	}

	/** Releases the lock and leaves the result, if there is one. */
	private CompletableFuture<Void> release(@Nullable String result, boolean blocking) {
		boolean late = !isHeld();
		if (STATE.compareAndSet(this, OPEN, ENDED)) {
			if (late) {
				reportLoss(this.term.whyExpired());
			}
			else if (this.releaseListener != null && !this.unused) {
				this.releaseListener.accept(key());
			}
			this.lock.release(this,
					(late || result == null || this.resultKey == null) ? null : stored(this.resultKey, result),
					blocking);
		}
		return released();
	}

	/**
	 * Returns the next caller in the queue, if the lock may be handed off to it without a
	 * command to the store.
	 */
	public @Nullable Acquisition successor(@Nullable Acquisition next) {
		return (next != null && !isLost() && next.canFollow(this.resultKey)) ? next : null;
	}

	public Turn turn() {
		return this.turn;
	}

	/** Returns the application's description of the HTTP request that holds it. */
	public @Nullable String request() {
		return (this.hold != null) ? this.hold.request() : null;
	}

	/** Returns the time since the grant, in nanoseconds. */
	public long age() {
		return this.term.age(now());
	}

	/** Returns the observation of the lease, if it is observed. */
	public @Nullable HoldObservation hold() {
		return this.hold;
	}

	/**
	 * Returns the time for which the lock stays unavailable after the end of the lease;
	 * zero after a loss, and if no work has begun.
	 */
	public Duration leftToHold() {
		long left = this.term.leftToHold(now());
		// Stores count in milliseconds.
		return (left > 0 && !isLost() && !this.unused)
				? Duration.ofNanos(left).plusMillis(1).truncatedTo(ChronoUnit.MILLIS) : Duration.ZERO;
	}

	boolean isEnded() {
		return this.state != OPEN;
	}

	private boolean isLost() {
		CompletableFuture<Void> lost = this.lost;
		return lost != null && lost.isDone();
	}

	/**
	 * Marks that the lock no longer belongs to this lease: it was released, or handed off
	 * to the next holder.
	 */
	public void done() {
		released().complete(null);
	}

	/** Processes the answer of the store to the release. */
	public void released(@Nullable Boolean owned, @Nullable Throwable failure) {
		if (failure != null && !isLost()) {
			listeners().execute(() -> logger
				.warn("Lock '%s' may not have been released: it expires at the latest with its time to live. %s"
					.formatted(key().name(), failure)));
		}
		else if (failure == null && Boolean.FALSE.equals(owned)) {
			reportLoss("the store no longer had it when it was released");
		}
	}

	/**
	 * Ends the lease as lost, because it is no longer held or must not be held any
	 * longer.
	 * @return completes when the store has answered or failed
	 */
	public CompletableFuture<Void> lose(String why) {
		if (STATE.compareAndSet(this, OPEN, ENDED)) {
			reportLoss(why);
			this.lock.release(this, null, false);
		}
		return released();
	}

	private void reportLoss(String why) {
		if (lost().complete(null)) {
			// Two tasks: an observation handler may block, and the log may throw.
			listeners().execute(() -> report(Event.LOST));
			listeners().execute(() -> logger
				.warn(("The lease of lock '%s' was lost, so the work under it may have overlapped with the next"
						+ " holder's: %s")
					.formatted(key().name(), why)));
			onLost(() -> this.lock.observer().lost(key(), this.fencingToken));
		}
	}

	private Executor listeners() {
		return this.lock.runtime().listeners();
	}

	private long now() {
		return this.lock.runtime().nanoTime();
	}

	/** Returns when this lease is renewed, or judged. */
	LeaseTerm term() {
		return this.term;
	}

	/** Makes a renewal due, because the store may have lost the lock. */
	void renewNow() {
		this.term.renewNow(now());
	}

	Renewal renewal(Duration ttl) {
		return this.lock.renewal(this.turn, ttl);
	}

	/**
	 * Processes the answer of the store to a renewal.
	 * @param asked the time of the command
	 */
	void renewed(long asked, Duration ttl, @Nullable Boolean owned, @Nullable Throwable failure) {
		this.term.endRenewal();
		this.lock.observer().storeAnswered(key(), failure);
		if (failure != null) {
			this.term.renewAgain(now());
		}
		else if (!Boolean.TRUE.equals(owned)) {
			this.lock.lose(this.turn, "the store no longer had it when it was to be renewed");
		}
		else if (this.term.extend(asked, ttl, now())) {
			this.lock.observer().count(key(), Event.RENEWED);
		}
	}

	@Override
	public String toString() {
		return "Lease of " + key() + ", fencing token " + this.fencingToken;
	}

}
