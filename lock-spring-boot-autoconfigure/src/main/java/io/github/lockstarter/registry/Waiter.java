package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.TokenLocks.TokenLock;
import io.github.lockstarter.store.LeftResult;
import io.github.lockstarter.store.ResultSlot;
import io.github.lockstarter.store.WantedResults;

/**
 * One caller that wants a lock, with one deadline for all it takes to get it.
 */
final class Waiter {

	private final CompletableFuture<Optional<Lease>> answer = new CompletableFuture<>();

	private final Attempt attempt;

	private final Executor executor;

	private final boolean blocking;

	private @Nullable ResultSlot slot;

	private @Nullable String token;

	private @Nullable Runnable giveBackToken;

	private volatile boolean contended;

	/** From which fencing token of the store on results count. */
	private volatile long since = WantedResults.NOBODY;

	private volatile @Nullable LeftResult result;

	private volatile Duration retryAfter = Duration.ZERO;

	private volatile boolean queueFull;

	private volatile @Nullable StoreLease granted;

	private volatile @Nullable TokenLock held;

	private @Nullable Future<?> alarm;

	private Waiter(Attempt attempt, Executor executor, boolean blocking) {
		this.attempt = attempt;
		this.executor = executor;
		this.blocking = blocking;
	}

	/** Returns a caller whose thread waits for the answer. */
	static Waiter blocking(Attempt attempt, Executor executor) {
		return new Waiter(attempt, executor, true);
	}

	/** Returns a caller that goes on with the answer in the executor. */
	static Waiter async(Attempt attempt, Executor executor) {
		return new Waiter(attempt, executor, false);
	}

	/** Lets the caller have a result instead of the lock: from that holder on. */
	Waiter sharing(ResultSlot slot, long since) {
		this.slot = slot;
		this.since = since;
		return this;
	}

	/**
	 * Lets a token hold the lock instead of this JVM; what it was granted when the caller
	 * is gone is given back, unless others know the token, too, and may be sure of it.
	 */
	Waiter holdingBy(String token, @Nullable Runnable giveBack) {
		this.token = token;
		this.giveBackToken = giveBack;
		return this;
	}

	/** Returns whether a token is to hold the lock. */
	boolean isForToken() {
		return this.token != null;
	}

	/** Returns whether a token is to hold the lock that others know, too. */
	boolean isKnownElsewhere() {
		return isForToken() && this.giveBackToken == null;
	}

	/** Returns an attempt to take the lock for this caller. */
	Bid bid() {
		return Bid.now((this.token != null) ? this.token : Owners.next(), options().ttl());
	}

	@Nullable ResultSlot slot() {
		return this.slot;
	}

	/**
	 * Returns whether the store is to be asked for a result before it runs: whoever had
	 * the lock before did not ask for the same.
	 */
	boolean mustAskAfter(@Nullable ResultSlot asked) {
		return this.slot != null && !(asked != null && this.slot.name().equals(asked.name()));
	}

	/** Returns whether what the asker was granted is what this caller wants. */
	boolean accepts(Bid granted, Waiter asker) {
		return this == asker || (options().ttl().equals(granted.ttl()) && !mustAskAfter(asker.slot()) && !isForToken()
				&& !asker.isForToken());
	}

	/** Returns what to ask the store for: who has just come can have missed nothing. */
	WantedResults wanted(ResultSlot slot) {
		return new WantedResults(slot, this.since, this.contended ? Duration.ofNanos(waited()) : Duration.ZERO);
	}

	/** Returns whether the caller wants a result that came at that time, or later. */
	boolean wants(LeftResult result, long came) {
		boolean counts = result.fencingToken() >= this.since || came - this.attempt.begin() > 0;
		return counts && this.slot != null && this.slot.name().equals(result.slot().name());
	}

	/** The first holder that the caller meets is the first whose result he wants. */
	void meetHolder(long storeToken) {
		if (this.since == WantedResults.NOBODY && storeToken > 0) {
			this.since = storeToken;
		}
	}

	/** Returns {@code true} the first time. */
	boolean meetsContention() {
		boolean first = !this.contended;
		this.contended = true;
		return first;
	}

	LockKey key() {
		return this.attempt.key();
	}

	Attempt attempt() {
		return this.attempt;
	}

	LockOptions options() {
		return this.attempt.options();
	}

	Executor executor() {
		return this.executor;
	}

	CompletableFuture<Optional<Lease>> answer() {
		return this.answer;
	}

	/** Returns the result, if it was given one, once the answer is empty. */
	@Nullable LeftResult result() {
		return this.result;
	}

	/** Returns what its token holds, if anything, once the answer is empty. */
	@Nullable TokenLock held() {
		return this.held;
	}

	/** Returns what an empty answer means, unless there is something else. */
	LockConflictException conflict() {
		return this.queueFull ? LockConflictException.waitQueueFull(key(), options(), this.retryAfter)
				: new LockConflictException(key(), options(), this.retryAfter);
	}

	boolean waits() {
		return !options().waitTime().isZero();
	}

	/** Returns how long it has waited, in nanoseconds. */
	long waited() {
		return System.nanoTime() - this.attempt.begin();
	}

	/** Returns how much of the wait is left; not positive when it is over. */
	long left() {
		return this.attempt.begin() + options().waitTime().toNanos() - System.nanoTime();
	}

	/** Sets an alarm to the end of the wait, if there is one, and none is set. */
	void setAlarm(ScheduledExecutorService timer, Runnable action) {
		if (waits() && this.alarm == null) {
			this.alarm = timer.schedule(action, Math.max(left(), 0), TimeUnit.NANOSECONDS);
		}
	}

	void grant(StoreLease lease) {
		this.granted = lease;
		end(Event.GRANTED, null);
		if (this.answer.isCancelled()) {
			giveBack();
		}
		answer(() -> this.answer.complete(Optional.of(lease)));
	}

	/** Releases what was granted, if anything: the caller does not want it any more. */
	void giveBack() {
		StoreLease lease = this.granted;
		if (lease != null) {
			lease.release(null);
		}
	}

	/** Refuses the caller; the time is zero if nobody knows the holder's lease. */
	void refuse(Duration retryAfter) {
		this.retryAfter = retryAfter.isZero() ? options().ttl() : retryAfter;
		if (!isKnownElsewhere()) {
			endRefused();
		}
		answer(() -> this.answer.complete(Optional.empty()));
	}

	/** Refuses the caller, which asked to wait: the queue has no room for it. */
	void refuseForFullQueue(Duration retryAfter) {
		this.queueFull = true;
		refuse(retryAfter);
	}

	/** Tells the caller that its token holds the lock. */
	void entrust(TokenLock held) {
		this.held = held;
		end(Event.GRANTED, null);
		answer(() -> {
			if (!this.answer.complete(Optional.empty())) {
				giveBackToken();
			}
		});
	}

	/** Releases what the token holds, unless others know the token, too. */
	void giveBackToken() {
		if (this.giveBackToken != null) {
			this.giveBackToken.run();
		}
	}

	/** Gives the caller a result instead of the lock. */
	void give(LeftResult result) {
		this.result = result;
		end(Event.RESULT, null);
		answer(() -> this.answer.complete(Optional.empty()));
	}

	void fail(String message, @Nullable Throwable cause) {
		LockStoreException failure = new LockStoreException(key(), message, cause);
		end(Event.ERROR, failure);
		answer(() -> this.answer.completeExceptionally(failure));
	}

	/** Returns whether there was no answer yet, and will be none. */
	boolean cancel() {
		boolean cancelled = this.answer.cancel(false);
		if (cancelled) {
			end(Event.CANCELLED, null);
		}
		return cancelled;
	}

	/** Leaves nothing behind in the timer. */
	void cancelAlarm() {
		if (this.alarm != null) {
			this.alarm.cancel(false);
		}
	}

	/** Its token may have the lock by another attempt, so whoever knows says it. */
	void endRefused() {
		Event ofWaiting = this.queueFull ? Event.QUEUE_FULL : Event.TIMEOUT;
		end(waits() ? ofWaiting : Event.CONFLICT, null);
	}

	void end(Event outcome, @Nullable Throwable failure) {
		boolean waited = this.contended && waits() && !this.queueFull;
		this.attempt.end(outcome, waited ? Duration.ofNanos(waited()) : null, failure);
	}

	private void answer(Runnable completion) {
		cancelAlarm();
		if (this.blocking) {
			completion.run();
		}
		else {
			this.executor.execute(completion);
		}
	}

}
