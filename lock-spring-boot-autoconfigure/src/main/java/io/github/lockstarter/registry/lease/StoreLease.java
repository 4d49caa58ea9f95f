package io.github.lockstarter.registry.lease;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.registry.observe.HoldObservation;
import io.github.lockstarter.registry.request.AcquireRequest;
import io.github.lockstarter.registry.runtime.EngineRuntime;
import io.github.lockstarter.share.SharedLease;
import io.github.lockstarter.store.LockStore.Renewal;
import io.github.lockstarter.store.StoredResult;

/**
 * A lease on a lock in a store. It ends once: by its release or by its loss.
 */
public final class StoreLease implements SharedLease {

	private static final Log logger = LogFactory.getLog(StoreLease.class);

	/** Stores count in milliseconds. */
	private static final long A_MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);

	private final LeasedLock lock;

	private final AcquireRequest holder;

	private final Renewals renewals;

	private final EngineRuntime runtime;

	private final Turn turn;

	private final long fencingToken;

	private final HoldObservation hold;

	/** When it was granted, on the clock of the runtime, like all times in here. */
	private final long since;

	/** When renewals end. */
	private final long end;

	private volatile long deadline;

	private volatile long renewAt;

	private final AtomicBoolean ended = new AtomicBoolean();

	private final CompletableFuture<Void> released = new CompletableFuture<>();

	private final CompletableFuture<Void> lost = new CompletableFuture<>();

	public StoreLease(LeasedLock lock, AcquireRequest holder, Renewals renewals, Turn turn, long fencingToken) {
		this.lock = lock;
		this.holder = holder;
		this.renewals = renewals;
		this.runtime = holder.runtime();
		this.turn = turn;
		this.fencingToken = fencingToken;
		this.since = this.runtime.nanoTime();
		this.hold = holder.observation().hold(this.since);
		this.end = this.since + options().maxHold().toNanos();
		this.deadline = turn.deadline();
		this.renewAt = isRenewable() ? turn.asked() + options().ttl().toNanos() / 3 : this.deadline;
	}

	@Override
	public LockKey key() {
		return this.holder.key();
	}

	@Override
	public long fencingToken() {
		return this.fencingToken;
	}

	@Override
	public boolean isHeld() {
		return !this.ended.get() && !isExpired(this.runtime.nanoTime());
	}

	@Override
	public Duration remaining() {
		return this.ended.get() ? Duration.ZERO
				: Duration.ofNanos(Math.max(this.deadline - this.runtime.nanoTime(), 0));
	}

	@Override
	public void onLost(Runnable action) {
		this.lost.thenRun(() -> this.runtime.callbacks().execute(() -> {
			try {
				action.run();
			}
			catch (Throwable ex) {
				logger.error("What was to be done at the loss of lock '%s' failed".formatted(key().name()), ex);
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
		CompletableFuture<Void> told = new CompletableFuture<>();
		released.thenRun(() -> this.holder.executor().execute(() -> {
			told.complete(null);
			observeRelease();
		}));
		return told;
	}

	@Override
	public void close() {
		release(null).join();
		observeRelease();
	}

	@Override
	public void close(String result) {
		release(result).join();
		observeRelease();
	}

	/** A loss has been observed before. */
	private void observeRelease() {
		if (!isLost()) {
			this.hold.end(Event.RELEASED);
		}
	}

	/** Releases the lock and leaves the result, if there is one. */
	private CompletableFuture<Void> release(@Nullable String result) {
		boolean late = !isHeld();
		if (this.ended.compareAndSet(false, true)) {
			this.renewals.remove(this);
			if (late) {
				reportLoss(whyExpired());
			}
			this.lock.release(this, (late || result == null || this.holder.resultKey() == null) ? null
					: new StoredResult(this.holder.resultKey(), result, Turn.storeToken(this.fencingToken)));
		}
		return this.released;
	}

	/**
	 * Returns the next in the queue, if it may have the lock without asking the store.
	 */
	public @Nullable AcquireRequest successor(@Nullable AcquireRequest next) {
		return (next != null && !isLost() && next.canFollow(this.holder.resultKey())) ? next : null;
	}

	public Turn turn() {
		return this.turn;
	}

	/** Returns the request that holds it, in the words of the application. */
	public @Nullable String request() {
		return this.holder.observation().request();
	}

	/** Returns since when it is held, in nanoseconds. */
	public long age() {
		return this.runtime.nanoTime() - this.since;
	}

	public HoldObservation hold() {
		return this.hold;
	}

	boolean isEnded() {
		return this.ended.get();
	}

	private boolean isLost() {
		return this.lost.isDone();
	}

	/** The lock is not this lease's any more, in the store or for the next holder. */
	public void done() {
		this.released.complete(null);
	}

	/** The store has answered the release. */
	public void released(@Nullable Boolean owned, @Nullable Throwable failure) {
		if (failure != null && !isLost()) {
			this.runtime.callbacks()
				.execute(() -> logger.warn(
						"Lock '%s' may not have been released: it is free when its time to live has run out, at the latest. %s"
							.formatted(key().name(), failure)));
		}
		else if (failure == null && Boolean.FALSE.equals(owned)) {
			reportLoss("the store had forgotten it when it was released");
		}
	}

	/**
	 * Ends the lease because it is not, or must not be, held any more.
	 * @return completes when the store has answered or failed
	 */
	public CompletableFuture<Void> lose(String why) {
		if (this.ended.compareAndSet(false, true)) {
			this.renewals.remove(this);
			reportLoss(why);
			this.lock.release(this, null);
		}
		return this.released;
	}

	private void reportLoss(String why) {
		if (this.lost.complete(null)) {
			this.runtime.callbacks().execute(() -> {
				logger.warn(("The lease of lock '%s' was lost, so the work under it may have overlapped with the next"
						+ " holder's: %s")
					.formatted(key().name(), why));
				this.hold.end(Event.LOST);
			});
			onLost(() -> this.holder.observer().lost(key(), this.fencingToken));
		}
	}

	private LockOptions options() {
		return this.holder.options();
	}

	private boolean isRenewable() {
		return options().maxHold().compareTo(options().ttl()) > 0;
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
			return "its ttl of %s ran out, and it is not renewed".formatted(options().ttl());
		}
		return (this.end - this.deadline <= A_MILLISECOND)
				? "it was held for longer than %s, its max-hold".formatted(options().maxHold())
				: "the store could not be reached to renew it for a ttl of %s".formatted(options().ttl());
	}

	void renewNow() {
		if (isRenewable()) {
			this.renewAt = this.runtime.nanoTime();
		}
	}

	/**
	 * Returns the time to live to renew this lease with, and counts it as being renewed;
	 * zero if it is not due or has no time left to gain.
	 */
	Duration beginRenewal(long now) {
		long soon = options().ttl().toNanos() / 12;
		if (this.renewAt - now > soon || this.deadline - this.renewAt <= 0) {
			return Duration.ZERO;
		}
		this.renewAt = this.deadline;
		if (this.end - this.deadline <= A_MILLISECOND) {
			return Duration.ZERO;
		}
		long lives = Math.min(options().ttl().toNanos(), this.end - now);
		return Duration.ofMillis(TimeUnit.NANOSECONDS.toMillis(lives));
	}

	Renewal renewal(Duration ttl) {
		return this.lock.renewal(this.turn, ttl);
	}

	/**
	 * The store has answered a renewal.
	 * @param asked when it was asked
	 */
	void renewed(long asked, Duration ttl, @Nullable Boolean owned, @Nullable Throwable failure) {
		long third = options().ttl().toNanos() / 3;
		this.holder.observer().storeAnswered(key(), failure);
		if (failure != null) {
			// The lease is still good, and the store may be back in time.
			this.renewAt = this.runtime.nanoTime() + third / 3;
		}
		else if (!Boolean.TRUE.equals(owned)) {
			this.lock.lose(this.turn, "the store had forgotten it when it was to be renewed");
		}
		else if (!isExpired(this.runtime.nanoTime())) {
			this.deadline = asked + ttl.toNanos();
			this.renewAt = asked + third;
			this.holder.observer().count(key(), Event.RENEWED);
		}
	}

	@Override
	public String toString() {
		return "Lease of " + key() + ", fencing token " + this.fencingToken;
	}

}
