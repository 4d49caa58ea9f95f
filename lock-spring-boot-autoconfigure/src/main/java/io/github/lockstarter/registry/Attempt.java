package io.github.lockstarter.registry;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Busy;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.LockStore;

/**
 * One caller's way to a lock: it asks the store, and while the lock is busy and there is
 * time left, asks again every 50 to 100 ms, or when the holder's lease ends. It is over
 * as soon as its answer is complete, be it by the caller's cancellation.
 */
final class Attempt {

	private static final SecureRandom random = new SecureRandom();

	/**
	 * A key of somebody else's may have no end at all, and is not asked for at full
	 * speed.
	 */
	private static final Duration SHORTEST_PAUSE = Duration.ofMillis(1);

	private final CompletableFuture<Optional<Lease>> answer = new CompletableFuture<>();

	private final LockStore store;

	private final LockKey key;

	private final LockOptions options;

	private final OutageLog outages;

	private final ScheduledExecutorService scheduler;

	private final long deadline;

	private volatile Duration retryAfter = Duration.ZERO;

	Attempt(LockStore store, LockKey key, LockOptions options, OutageLog outages, ScheduledExecutorService scheduler) {
		this.store = store;
		this.key = key;
		this.options = options;
		this.outages = outages;
		this.scheduler = scheduler;
		this.deadline = System.nanoTime() + options.waitTime().toNanos();
	}

	CompletableFuture<Optional<Lease>> start() {
		ask();
		return this.answer;
	}

	/** Returns how long the holder's lease lasts at most, once the answer is empty. */
	Duration retryAfter() {
		return this.retryAfter;
	}

	private void ask() {
		if (this.answer.isDone()) {
			return;
		}
		String owner = newOwner();
		long asked = System.nanoTime();
		CompletableFuture.completedStage(owner)
			.thenCompose((token) -> this.store.acquire(this.key, token, this.options.ttl()))
			.whenComplete((result, failure) -> {
				if (failure != null) {
					this.outages.failed(failure);
					fail(failure);
				}
				else {
					this.outages.answered();
					proceed(result, owner, asked);
				}
			});
	}

	private void proceed(AcquireResult result, String owner, long asked) {
		if (result instanceof Granted granted) {
			long end = asked + this.options.ttl().toNanos();
			granted(new StoreLease(this.store, this.key, owner, granted.fencingToken(), end), owner);
		}
		else if (result instanceof Busy busy) {
			refused(busy.remaining());
		}
	}

	private void granted(Lease lease, String owner) {
		if (!lease.isHeld()) {
			fail(new LockStoreException(this.key, "the store's answer took longer than the ttl of the lease", null));
		}
		if (!this.answer.complete(Optional.of(lease))) {
			// Nobody worked under this lease, so nobody need hear of it.
			this.store.release(this.key, owner);
		}
	}

	private void refused(Duration remaining) {
		this.retryAfter = remaining;
		long left = this.deadline - System.nanoTime();
		if (left <= 0) {
			this.answer.complete(Optional.empty());
			return;
		}
		long pause = TimeUnit.MILLISECONDS.toNanos(ThreadLocalRandom.current().nextLong(50, 100));
		if (remaining.compareTo(SHORTEST_PAUSE) > 0) {
			pause = Math.min(pause, remaining.toNanos());
		}
		try {
			this.scheduler.schedule(this::ask, Math.min(left, pause), TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			fail(new LockStoreException(this.key, "the registry is closed", ex));
		}
	}

	private void fail(Throwable failure) {
		Throwable cause = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
		this.answer.completeExceptionally(
				(cause instanceof LockException) ? cause : new LockStoreException(this.key, "the store failed", cause));
	}

	private static String newOwner() {
		byte[] token = new byte[16];
		random.nextBytes(token);
		return HexFormat.of().formatHex(token);
	}

}
