package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.ReleaseNotifications;
import io.github.lockstarter.store.ResultSlot;
import io.github.lockstarter.store.ResultStore;

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

	boolean isWatching() {
		return this.watching;
	}

	CompletionStage<AcquireResult> acquire(Bid bid, Waiter head) {
		ReleaseNotifications notifications = this.notifications;
		if (head.slot() != null && head.mayFindResult()) {
			return acquireOrResult(bid, head, head.slot());
		}
		if (notifications == null || !head.waits()) {
			return ask(() -> this.engine.store().acquire(this.key, bid.owner(), bid.ttl()));
		}
		this.watching = true;
		return ask(() -> notifications.acquireOrWatch(this.key, bid.owner(), bid.ttl(), this.wake));
	}

	private CompletionStage<AcquireResult> acquireOrResult(Bid bid, Waiter head, ResultSlot slot) {
		this.watching |= head.waits();
		Runnable onRelease = head.waits() ? this.wake : null;
		return ask(() -> results().acquireOrResult(this.key, bid.owner(), bid.ttl(), slot, head.maxAge(), onRelease));
	}

	/** Ends a turn; only where the store {@linkplain #tellsOfReleases() can}. */
	CompletionStage<Optional<AcquireResult>> handOver(Bid ended, Bid next) {
		ReleaseNotifications notifications = this.notifications;
		if (notifications == null) {
			throw new IllegalStateException();
		}
		this.watching = true;
		return ask(() -> notifications.handOver(this.key, ended.owner(), next.owner(), next.ttl(), this.wake));
	}

	/** Releases the lock, and leaves the result if there is one. */
	CompletionStage<Boolean> release(Bid bid, @Nullable LeftResult result) {
		return ask(() -> (result != null) ? results().release(this.key, bid.owner(), result.slot(), result.text())
				: this.engine.store().release(this.key, bid.owner()));
	}

	private ResultStore results() {
		Assert.isInstanceOf(ResultStore.class, this.engine.store(), "A store must be able to keep results");
		return (ResultStore) this.engine.store();
	}

	/** Asks the store; whatever it throws is an answer, too. */
	private <T> CompletionStage<T> ask(Supplier<CompletionStage<T>> question) {
		CompletionStage<T> answer;
		try {
			answer = Objects.requireNonNull(question.get(), "a store must answer");
		}
		catch (RuntimeException ex) {
			answer = CompletableFuture.failedFuture(ex);
		}
		return answer.whenComplete((result, failure) -> this.engine.outages().heard(failure));
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
