package io.github.lockstarter.registry.lease;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.registry.observe.HoldObservation;
import io.github.lockstarter.registry.acquisition.Acquisition;
import io.github.lockstarter.registry.sharing.SharedLease;
import io.github.lockstarter.store.LockStore.Renewal;
import io.github.lockstarter.store.ReactiveTransaction;
import io.github.lockstarter.store.ReactiveTransactionalStoredLock;
import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.StoredResult;
import io.github.lockstarter.store.TransactionalStoredLock;

import static org.springframework.format.annotation.DurationFormat.Style.COMPOSITE;
import static org.springframework.format.datetime.standard.DurationFormatterUtils.print;

/**
 * A lease on a lock in a store. It ends once: by its release or by its loss.
 */
public final class StoreLease implements SharedLease {

	private static final Log logger = LogFactory.getLog(StoreLease.class);

	/** Stores count in milliseconds. */
	private static final long A_MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);

	/**
	 * The time in which the answer to a renewal is read that has arrived by the deadline.
	 */
	private static final long GRACE = TimeUnit.MILLISECONDS.toNanos(50);

	/** Created on demand, because there may be many leases and few of them need it. */
	private static final AtomicReferenceFieldUpdater<StoreLease, CompletableFuture<Void>> RELEASED = future("released");

	private static final AtomicReferenceFieldUpdater<StoreLease, CompletableFuture<Void>> LOST = future("lost");

	private static final AtomicIntegerFieldUpdater<StoreLease> STATE = AtomicIntegerFieldUpdater
		.newUpdater(StoreLease.class, "state");

	private static final AtomicLongFieldUpdater<StoreLease> DEADLINE = AtomicLongFieldUpdater
		.newUpdater(StoreLease.class, "deadline");

	/** A bit of the deadline, which is otherwise 0: it is final. */
	private static final long FINAL = 1;

	private static final AtomicIntegerFieldUpdater<StoreLease> RENEWING = AtomicIntegerFieldUpdater
		.newUpdater(StoreLease.class, "renewing");

	/** Neither released nor lost. */
	private static final int OPEN = 0;

	private static final int ENDED = 1;

	/** Its end has been reported to operators. */
	private static final int REPORTED = 2;

	private final LeasedLock lock;

	private final LockOptions options;

	private final Executor executor;

	private final @Nullable ResultKey resultKey;

	private final Turn turn;

	private final long fencingToken;

	/** Observes the lease, if it is observed. */
	private final @Nullable HoldObservation hold;

	private final @Nullable Consumer<LockKey> releaseListener;

	/**
	 * The time of the grant, on the clock of the runtime, like all times in this class.
	 */
	private final long since;

	private volatile long deadline;

	private volatile long renewAt;

	/** The number of renewals in flight. */
	private volatile int renewing;

	/** Whether the store has not lost its data since the lock was last renewed. */
	private volatile boolean verified = true;

	private volatile int state = OPEN;

	/**
	 * Whether a transaction may have locked it in the store, so that it cannot be
	 * renewed.
	 */
	private volatile boolean committing;

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
		this.options = holder.options();
		this.executor = holder.executor();
		this.resultKey = holder.resultKey();
		this.turn = turn;
		this.fencingToken = fencingToken;
		this.releaseListener = holder.releaseListener();
		this.since = now();
		this.hold = lock.observer().hold(holder.observation());
		this.deadline = turn.deadline() & ~FINAL;
		this.renewAt = isRenewable() ? turn.asked() + this.options.ttl().toNanos() / 3 : this.deadline;
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

	/**
	 * A deadline that has passed is final as soon as the application has seen it: no
	 * renewal extends it.
	 */
	@Override
	public boolean isHeld() {
		while (!isEnded()) {
			long deadline = this.deadline;
			if (!isFinal(deadline) && deadline - now() > 0) {
				return true;
			}
			if (isFinal(deadline) || DEADLINE.compareAndSet(this, deadline, deadline | FINAL)) {
				return false;
			}
		}
		return false;
	}

	private static boolean isFinal(long deadline) {
		return (deadline & FINAL) != 0;
	}

	@Override
	public Duration remaining() {
		return isEnded() ? Duration.ZERO : Duration.ofNanos(Math.max(this.deadline - now(), 0));
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
		this.committing = true;
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
		this.committing = true;
		StoredResult kept = (result != null && this.resultKey != null) ? stored(this.resultKey, result) : null;
		return stored.holdUntilCommit(Turn.storeToken(this.fencingToken), kept, transaction);
	}

	@Override
	public void transactionEnded() {
		this.committing = false;
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
			this.lock.observer().ended(key(), end, this.since, request());
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
				reportLoss(whyExpired());
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
		return now() - this.since;
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
		long left = this.options.holdAtLeast().toNanos() - age();
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

	private boolean isRenewable() {
		return this.options.maxHold().compareTo(this.options.ttl()) > 0;
	}

	/** Returns the time at which renewals end. */
	private long end() {
		return this.since + this.options.maxHold().toNanos();
	}

	private Executor listeners() {
		return this.lock.runtime().listeners();
	}

	private long now() {
		return this.lock.runtime().nanoTime();
	}

	/** Returns the time of the next check of this lease. */
	long due() {
		boolean isPostponed = this.renewing > 0 && this.renewAt - this.deadline > 0;
		return (isPostponed || this.renewAt - this.deadline < 0) ? this.renewAt : this.deadline;
	}

	/**
	 * Postpones the judgement of an expired lease once, if a renewal is in flight. A
	 * process that stood still may continue with this check before it reads the answer to
	 * the renewal, with which the lease is still held.
	 * @return whether the loss is judged later
	 */
	boolean postponeLoss(long now) {
		if (this.renewing == 0 || isFinal(this.deadline)) {
			return false;
		}
		if (this.renewAt - this.deadline <= 0) {
			this.renewAt = now + GRACE;
		}
		return this.renewAt - now > 0;
	}

	boolean isExpired(long now) {
		return this.deadline - now <= 0;
	}

	String whyExpired() {
		if (!isRenewable()) {
			return "its ttl of %s has passed, and it is not renewed".formatted(print(this.options.ttl(), COMPOSITE));
		}
		return (end() - this.deadline <= A_MILLISECOND)
				? "it was held for longer than %s, its max-hold".formatted(print(this.options.maxHold(), COMPOSITE))
				: "the store was unavailable for renewals for a ttl of %s"
					.formatted(print(this.options.ttl(), COMPOSITE));
	}

	/**
	 * Makes a renewal due, because the store may have lost the lock. A lease that is not
	 * to be extended is renewed for the rest of its time. The judgement of an expired
	 * lease is not brought forward.
	 */
	void renewNow() {
		this.verified = false;
		long now = now();
		if (!isExpired(now)) {
			this.renewAt = now;
		}
	}

	/**
	 * Begins a renewal if one is due. Returns its time to live; zero if it is not due, or
	 * a renewal would not extend the lease.
	 */
	Duration beginRenewal(long now) {
		long soon = this.options.ttl().toNanos() / 12;
		if (this.renewAt - now > soon || this.deadline - this.renewAt <= 0) {
			return Duration.ZERO;
		}
		if (this.committing) {
			this.renewAt = now + soon;
			return Duration.ZERO;
		}
		this.renewAt = this.deadline;
		boolean isLast = !isRenewable() || end() - this.deadline <= A_MILLISECOND;
		if (isLast && this.verified) {
			return Duration.ZERO;
		}
		long lives = isLast ? this.deadline - now : Math.min(this.options.ttl().toNanos(), end() - now);
		Duration ttl = Duration.ofMillis(TimeUnit.NANOSECONDS.toMillis(lives));
		if (!ttl.isZero()) {
			this.verified = true;
			RENEWING.incrementAndGet(this);
		}
		return ttl;
	}

	Renewal renewal(Duration ttl) {
		return this.lock.renewal(this.turn, ttl);
	}

	/**
	 * Processes the answer of the store to a renewal.
	 * @param asked the time of the command
	 */
	void renewed(long asked, Duration ttl, @Nullable Boolean owned, @Nullable Throwable failure) {
		long third = this.options.ttl().toNanos() / 3;
		RENEWING.decrementAndGet(this);
		this.lock.observer().storeAnswered(key(), failure);
		if (failure != null) {
			// The lease is still held, and the store may recover in time. After a
			// reconnection, the next renewal may be due already.
			this.verified = false;
			long again = now() + third / 3;
			if (again - this.renewAt < 0) {
				this.renewAt = again;
			}
		}
		else if (!Boolean.TRUE.equals(owned)) {
			this.lock.lose(this.turn, "the store no longer had it when it was to be renewed");
		}
		else if (extend(asked + ttl.toNanos())) {
			this.renewAt = asked + third;
			// After a reconnection, the store may have lost what it had answered before.
			if (!this.verified) {
				this.renewAt = now();
			}
			this.lock.observer().count(key(), Event.RENEWED);
		}
	}

	private boolean extend(long until) {
		long deadline = this.deadline;
		return until - now() > 0 && !isFinal(deadline) && DEADLINE.compareAndSet(this, deadline, until & ~FINAL);
	}

	@Override
	public String toString() {
		return "Lease of " + key() + ", fencing token " + this.fencingToken;
	}

}
