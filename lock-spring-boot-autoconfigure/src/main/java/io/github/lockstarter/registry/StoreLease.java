package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LeaseLostEvent;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.share.SharedLease;
import io.github.lockstarter.store.LeftResult;
import io.github.lockstarter.store.ResultSlot;

/**
 * A lease on a lock in a store. It ends once: by its release or by its loss.
 */
final class StoreLease implements SharedLease {

	private static final Log logger = LogFactory.getLog(StoreLease.class);

	/** Stores count in milliseconds. */
	private static final long A_MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);

	private final Engine engine;

	private final LocalLock lock;

	private final LockKey key;

	private final LockOptions options;

	private final Executor executor;

	private final @Nullable ResultSlot slot;

	private final Attempt attempt;

	private volatile @Nullable Observed hold;

	/** When it was granted, in {@link System#nanoTime()}, like all times in here. */
	private final long since = System.nanoTime();

	private final Bid bid;

	private final long fencingToken;

	/** When renewals end. */
	private final long end;

	private volatile long deadline;

	private volatile long renewAt;

	private final AtomicBoolean ended = new AtomicBoolean();

	private final CompletableFuture<Void> released = new CompletableFuture<>();

	private final CompletableFuture<Void> lost = new CompletableFuture<>();

	StoreLease(Engine engine, LocalLock lock, Waiter holder, Bid bid, long fencingToken) {
		this.engine = engine;
		this.lock = lock;
		this.attempt = holder.attempt();
		this.key = this.attempt.key();
		this.options = holder.options();
		this.executor = holder.executor();
		this.slot = holder.slot();
		this.bid = bid;
		this.fencingToken = fencingToken;
		this.end = this.since + this.options.maxHold().toNanos();
		this.deadline = bid.deadline();
		this.renewAt = isRenewable() ? bid.asked() + this.options.ttl().toNanos() / 3 : this.deadline;
	}

	@Override
	public LockKey key() {
		return this.key;
	}

	@Override
	public long fencingToken() {
		return this.fencingToken;
	}

	@Override
	public boolean isHeld() {
		return !remaining().isZero();
	}

	@Override
	public Duration remaining() {
		return this.ended.get() ? Duration.ZERO : Duration.ofNanos(Math.max(this.deadline - System.nanoTime(), 0));
	}

	@Override
	public void onLost(Runnable action) {
		this.lost.thenRun(() -> this.engine.answers().execute(() -> {
			try {
				action.run();
			}
			catch (RuntimeException ex) {
				logger.error("What was to be done at the loss of lock '%s' failed".formatted(this.key.name()), ex);
			}
		}));
	}

	@Override
	public CompletionStage<Void> releaseAsync() {
		return elsewhere(release(null));
	}

	@Override
	public CompletionStage<Void> releaseAsync(String result) {
		return elsewhere(release(result));
	}

	/** Whatever the application does with it is done elsewhere, and to a copy. */
	private CompletionStage<Void> elsewhere(CompletableFuture<Void> released) {
		return released.whenCompleteAsync((done, failure) -> {
		}, this.executor);
	}

	@Override
	public void close() {
		release(null).join();
	}

	@Override
	public void close(String result) {
		release(result).join();
	}

	/** Releases the lock and leaves the result, if there is one. */
	CompletableFuture<Void> release(@Nullable String result) {
		boolean late = !isHeld();
		if (this.ended.compareAndSet(false, true)) {
			this.engine.renewals().remove(this);
			if (late) {
				reportLoss(whyExpired());
			}
			this.lock.release(this, (late || result == null || this.slot == null) ? null
					: new LeftResult(this.slot, result, Bid.storeToken(this.fencingToken)));
		}
		return this.released;
	}

	/**
	 * Returns the next in the queue, if it may have the lock without asking the store.
	 */
	@Nullable Waiter successor(@Nullable Waiter next) {
		return (next != null && !isLost() && !next.isForToken() && !next.mustAskAfter(this.slot)) ? next : null;
	}

	/** Returns what is to be seen of it. */
	LockSnapshot.Held look() {
		return new LockSnapshot.Held(Duration.ofNanos(System.nanoTime() - this.since), remaining(), this.fencingToken,
				this.attempt.request());
	}

	Bid bid() {
		return this.bid;
	}

	boolean isEnded() {
		return this.ended.get();
	}

	boolean isLost() {
		return this.lost.isDone();
	}

	/** Begins to be observed, when no monitor is held: by code that is not ours. */
	void begin() {
		this.hold = isEnded() ? null : this.attempt.hold();
	}

	/** Nothing of it is left here. */
	void done() {
		if (!isLost()) {
			this.attempt.endHold(this.hold, Event.RELEASED, this.since);
		}
		this.released.complete(null);
	}

	/** The store has answered the release. */
	void released(@Nullable Boolean owned, @Nullable Throwable failure) {
		if (failure != null && !isLost()) {
			logger.warn(
					"Lock '%s' may not have been released: it is free when its time to live has run out, at the latest. %s"
						.formatted(this.key.name(), OutageLog.cause(failure)));
		}
		else if (Boolean.FALSE.equals(owned)) {
			reportLoss("the store had forgotten it when it was released");
		}
	}

	/**
	 * Ends the lease because it is not, or must not be, held any more.
	 * @return completes when the store has answered or failed
	 */
	CompletableFuture<Void> lose(String why) {
		if (this.ended.compareAndSet(false, true)) {
			this.engine.renewals().remove(this);
			reportLoss(why);
			this.lock.release(this, null);
		}
		return this.released;
	}

	private void reportLoss(String why) {
		if (!isLost()) {
			logger.warn(("The lease of lock '%s' was lost, so the work under it may have overlapped with the next"
					+ " holder's: %s")
				.formatted(this.key.name(), why));
			this.attempt.endHold(this.hold, Event.LOST, this.since);
			onLost(() -> this.engine.losses().accept(new LeaseLostEvent(this.key, this.fencingToken)));
			this.lost.complete(null);
		}
	}

	private boolean isRenewable() {
		return this.options.maxHold().compareTo(this.options.ttl()) > 0;
	}

	/** Returns when to look at this lease next. */
	long due() {
		return (this.renewAt - this.deadline < 0) ? this.renewAt : this.deadline;
	}

	boolean isExpired(long now) {
		return this.deadline - now <= 0;
	}

	String whyExpired() {
		if (!isRenewable()) {
			return "its ttl of %s ran out, and it is not renewed".formatted(this.options.ttl());
		}
		return (this.end - this.deadline <= A_MILLISECOND)
				? "it was held for longer than %s, its max-hold".formatted(this.options.maxHold())
				: "the store could not be reached to renew it for a ttl of %s".formatted(this.options.ttl());
	}

	void renewNow() {
		if (isRenewable()) {
			this.renewAt = System.nanoTime();
		}
	}

	/**
	 * Returns the time to live to renew this lease with, and counts it as being renewed;
	 * zero if it is not due or has no time left to gain.
	 */
	Duration beginRenewal(long now) {
		long soon = this.options.ttl().toNanos() / 12;
		if (this.renewAt - now > soon || this.deadline - this.renewAt <= 0) {
			return Duration.ZERO;
		}
		this.renewAt = this.deadline;
		if (this.end - this.deadline <= A_MILLISECOND) {
			return Duration.ZERO;
		}
		long lives = Math.min(this.options.ttl().toNanos(), this.end - now);
		return Duration.ofMillis(TimeUnit.NANOSECONDS.toMillis(lives));
	}

	/**
	 * The store has answered a renewal.
	 * @param asked when it was asked
	 */
	void renewed(long asked, Duration ttl, @Nullable Boolean owned, @Nullable Throwable failure) {
		long third = this.options.ttl().toNanos() / 3;
		this.engine.heard(this.key, failure);
		if (failure != null) {
			// The lease is still good, and the store may be back in time.
			this.renewAt = System.nanoTime() + third / 3;
		}
		else if (!Boolean.TRUE.equals(owned)) {
			this.lock.lose(this.bid, "the store had forgotten it when it was to be renewed");
		}
		else if (!isExpired(System.nanoTime())) {
			this.deadline = asked + ttl.toNanos();
			this.renewAt = asked + third;
			this.attempt.count(Event.RENEWED);
		}
	}

	@Override
	public String toString() {
		return "Lease of " + this.key + ", fencing token " + this.fencingToken;
	}

}
