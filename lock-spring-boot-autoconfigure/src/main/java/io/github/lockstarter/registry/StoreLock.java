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
	 * releases: a message may get lost. Otherwise, or if that end is unknown, wakes up
	 * within 50 to 100 ms.
	 * @param remaining how long the holder's lease lasts
	 * @param left how much of the wait is left, in nanoseconds
	 */
	void wakeAfter(Duration remaining, long left) {
		long poll = TimeUnit.MILLISECONDS.toNanos(ThreadLocalRandom.current().nextLong(50, 100));
		long pause = remaining.isZero() ? poll : Math.min(remaining.plusMillis(1).toNanos(), LONGEST_SLEEP);
		if (!tellsOfReleases()) {
			// Near its end a wait is worth another look.
			pause = Math.min(Math.min(poll, pause), Math.max(left / 2, TimeUnit.MILLISECONDS.toNanos(10)));
		}
		this.alarm = this.engine.timer().schedule(this.wake, pause, TimeUnit.NANOSECONDS);
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
