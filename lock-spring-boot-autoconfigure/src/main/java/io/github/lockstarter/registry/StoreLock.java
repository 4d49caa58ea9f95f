package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.LeftResult;
import io.github.lockstarter.store.ReleaseNotifications;
import io.github.lockstarter.store.ResultStore;
import io.github.lockstarter.store.TokenStore;
import io.github.lockstarter.store.WantedResults;

/**
 * One lock in the store, as a {@link LocalLock} deals with it: asks for it, and wakes up
 * when it may be free.
 */
final class StoreLock {

	private static final long LONGEST_SLEEP = TimeUnit.SECONDS.toNanos(1);

	/** Between two looks at a store that does not tell of releases. */
	private static final long SHORTEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(20);

	private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(100);

	private final Engine engine;

	private final LockKey key;

	private final Runnable wake;

	private final @Nullable ReleaseNotifications notifications;

	private volatile boolean watching;

	/** Whether a release was heard of since the store was asked. */
	private volatile boolean released;

	/**
	 * Whether others may wait for a result who waited for a holder elsewhere at the same
	 * time.
	 */
	private volatile boolean awaited;

	/** When the lease of a holder elsewhere ends, as far as known. */
	private volatile long heldUntil = System.nanoTime();

	private @Nullable Future<?> alarm;

	/**
	 * Creates a lock that nobody has asked for yet.
	 * @param wake what to do when it may be free
	 */
	StoreLock(Engine engine, LockKey key, Runnable wake) {
		this.engine = engine;
		this.key = key;
		this.wake = wake;
		this.notifications = (engine.store() instanceof ReleaseNotifications able) ? able : null;
	}

	boolean tellsOfReleases() {
		return this.notifications != null;
	}

	/**
	 * Returns whether those who wait elsewhere are not told of a release, and would never
	 * find the lock free if it was taken again at once.
	 */
	boolean mustLetOthersLook() {
		return !tellsOfReleases() && !this.engine.store().isLocal();
	}

	/** Somebody holds it elsewhere, and others may wait there, too. */
	void meetHolder(Duration remaining) {
		this.awaited = true;
		heldUntil(System.nanoTime() + remaining.toNanos());
	}

	/** It is locked for so long, on {@link System#nanoTime()}. */
	void heldUntil(long end) {
		this.heldUntil = end;
	}

	/** Returns how long a holder elsewhere still has the lock, as far as known. */
	Duration remaining() {
		return Duration.ofNanos(Math.max(this.heldUntil - System.nanoTime(), 0));
	}

	void noteRelease() {
		this.released = true;
	}

	/** Returns whether it was released after it was found to be locked, or may have. */
	boolean mayBeFree() {
		return this.released || (tellsOfReleases() && !this.watching);
	}

	CompletionStage<AcquireResult> acquire(Bid bid, Waiter head) {
		ReleaseNotifications notifications = this.notifications;
		this.released = false;
		if (head.slot() != null) {
			return acquireOrResult(bid, head, head.wanted(head.slot()));
		}
		if (head.isKnownElsewhere()) {
			return claim(bid, head);
		}
		if (notifications == null || !head.waits()) {
			return this.engine.ask(this.key, () -> this.engine.store().acquire(this.key, bid.owner(), bid.ttl()));
		}
		this.watching = true;
		return this.engine.ask(this.key,
				() -> notifications.acquireOrWatch(this.key, bid.owner(), bid.ttl(), this.wake));
	}

	private CompletionStage<AcquireResult> claim(Bid bid, Waiter head) {
		TokenStore tokens = (TokenStore) this.engine.store();
		this.watching |= head.waits();
		return this.engine.ask(this.key,
				() -> tokens.claim(this.key, bid.owner(), bid.ttl(), head.waits() ? this.wake : null));
	}

	private CompletionStage<AcquireResult> acquireOrResult(Bid bid, Waiter head, WantedResults wanted) {
		this.watching |= head.waits();
		Runnable onRelease = head.waits() ? this.wake : null;
		return this.engine.ask(this.key,
				() -> results().acquireOrResult(this.key, bid.owner(), bid.ttl(), wanted, onRelease));
	}

	/** Ends a turn; only where the store {@linkplain #tellsOfReleases() can}. */
	CompletionStage<Optional<AcquireResult>> handOver(Bid ended, Bid next) {
		ReleaseNotifications notifications = this.notifications;
		if (notifications == null) {
			throw new IllegalStateException();
		}
		this.released = false;
		this.watching = true;
		return this.engine.ask(this.key,
				() -> notifications.handOver(this.key, ended.owner(), next.owner(), next.ttl(), this.wake));
	}

	/** Releases the lock, and leaves the result if there is one. */
	CompletionStage<Boolean> release(Bid bid, @Nullable LeftResult result) {
		if (result == null) {
			return this.engine.ask(this.key, () -> this.engine.store().release(this.key, bid.owner()));
		}
		boolean awaited = this.awaited;
		this.awaited = false;
		return this.engine.ask(this.key, () -> results().release(this.key, bid.owner(), result, awaited));
	}

	private ResultStore results() {
		Assert.isInstanceOf(ResultStore.class, this.engine.store(), "A store must be able to keep results");
		return (ResultStore) this.engine.store();
	}

	/**
	 * Wakes up when the holder's lease ends, or after a second, if the store tells of
	 * releases: a message may get lost. Otherwise, or if that end is unknown, wakes up to
	 * look again.
	 * @param remaining how long the holder's lease lasts
	 * @param head who waits
	 */
	void wakeAfter(Duration remaining, Waiter head) {
		long pause = remaining.isZero() ? pause(head) : Math.min(remaining.plusMillis(1).toNanos(), LONGEST_SLEEP);
		wakeIn(tellsOfReleases() ? pause : Math.min(pause, pause(head)));
	}

	/**
	 * Who has waited for long looks less often, and all look at times of their own. Near
	 * its end a wait is worth another look.
	 */
	private static long pause(Waiter head) {
		long pause = Math.min(Math.max(head.waited(), SHORTEST_PAUSE), LONGEST_PAUSE);
		return Math.min(jittered(pause), Math.max(head.left() / 2, SHORTEST_PAUSE / 2));
	}

	/** Wakes up in a moment. */
	void wakeSoon() {
		wakeIn(jittered(SHORTEST_PAUSE));
	}

	/** Between half of it and all of it. */
	private static long jittered(long pause) {
		return pause - ThreadLocalRandom.current().nextLong(pause / 2);
	}

	private void wakeIn(long nanos) {
		this.alarm = this.engine.timer().schedule(this.wake, nanos, TimeUnit.NANOSECONDS);
	}

	void cancelAlarm() {
		if (this.alarm != null) {
			this.alarm.cancel(false);
			this.alarm = null;
		}
	}

	void unwatch() {
		if (this.notifications != null && this.watching) {
			this.watching = false;
			this.notifications.unwatch(this.key, this.wake);
		}
	}

}
