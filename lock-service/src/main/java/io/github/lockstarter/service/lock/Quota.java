package io.github.lockstarter.service.lock;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.TokenLocks;
import io.github.lockstarter.TokenLocks.TokenLock;
import io.github.lockstarter.service.Problem;

/**
 * Limits the number of different locks that one client holds, or is about to hold, of
 * those that this instance has granted. A lock may have been released through another
 * instance. So before a rejection, at most once a second, the store is queried whether
 * {@value #AT_A_TIME} of the locks are still held.
 */
final class Quota {

	private static final long PAUSE = TimeUnit.SECONDS.toNanos(1);

	/** The number of attempts between two sweeps of expired locks. */
	private static final int SWEEP_EVERY = 1024;

	/** The number of locks that are queried at a time. */
	private static final int AT_A_TIME = 200;

	/** Guarded by its own monitor, under which nothing blocks. */
	private final Map<LockKey, Use> uses = new LinkedHashMap<>();

	private final TokenLocks locks;

	private final int max;

	private long entered;

	private long lastQuery = System.nanoTime() - PAUSE;

	Quota(TokenLocks locks, int max) {
		this.locks = locks;
		this.max = max;
	}

	/** Acquires the lock, unless the client holds too many others. */
	Mono<TokenLock> within(LockKey key, Mono<TokenLock> attempt) {
		Mono<TokenLock> counted = attempt.doOnNext((held) -> hold(key, held)).doFinally((end) -> leave(key));
		return Mono.defer(
				() -> enter(key) ? counted : queryStore().then(Mono.defer(() -> enter(key) ? counted : rejection())));
	}

	private Mono<TokenLock> rejection() {
		return Mono.error(Problem
			.limitExceeded("This client holds as many locks as it may hold at a time: %d.".formatted(this.max)));
	}

	private boolean enter(LockKey key) {
		synchronized (this.uses) {
			boolean full = this.uses.size() >= this.max && !this.uses.containsKey(key);
			if (full || ++this.entered % SWEEP_EVERY == 0) {
				long now = System.nanoTime();
				this.uses.values().removeIf((use) -> use.isOver(now));
			}
			boolean room = this.uses.size() < this.max || this.uses.containsKey(key);
			if (room) {
				this.uses.computeIfAbsent(key, (each) -> new Use()).attempts++;
			}
			return room;
		}
	}

	private void hold(LockKey key, TokenLock held) {
		synchronized (this.uses) {
			Use use = this.uses.get(key);
			long end = System.nanoTime() + held.remaining().toNanos();
			// The lock may have been extended for longer before.
			if (use != null && end - use.end > 0) {
				use.end = end;
			}
		}
	}

	private void leave(LockKey key) {
		synchronized (this.uses) {
			this.uses.computeIfPresent(key, (each, use) -> {
				use.attempts--;
				return use.isOver(System.nanoTime()) ? null : use;
			});
		}
	}

	/** Releases the lock, and stops counting it if the release succeeds. */
	Mono<Boolean> releasing(LockKey key, Mono<Boolean> release) {
		return Mono.defer(() -> {
			Long end = end(key);
			return release.doOnNext((released) -> {
				if (released) {
					free(key, end);
				}
			});
		});
	}

	private @Nullable Long end(LockKey key) {
		synchronized (this.uses) {
			Use use = this.uses.get(key);
			return (use != null) ? use.end : null;
		}
	}

	/**
	 * Stops counting a lock that is free, unless it was acquired or extended since that
	 * end was read.
	 */
	private void free(LockKey key, @Nullable Long seenEnd) {
		synchronized (this.uses) {
			this.uses.computeIfPresent(key, (each, use) -> {
				if (seenEnd != null && seenEnd == use.end) {
					use.end = System.nanoTime();
				}
				return use.isOver(System.nanoTime()) ? null : use;
			});
		}
	}

	/**
	 * Queries the store for locks that were released elsewhere. If the store does not
	 * answer, the locks still count.
	 */
	private Mono<Void> queryStore() {
		return Flux.fromIterable(takeDueForQuery().entrySet())
			.flatMap((each) -> Mono.fromFuture(() -> this.locks.remainingAsync(each.getKey()).toCompletableFuture())
				.doOnNext((remaining) -> {
					if (remaining.isEmpty()) {
						free(each.getKey(), each.getValue());
					}
				}))
			.onErrorComplete()
			.then();
	}

	/**
	 * Returns the locks to query, with their ends: those that were queried least
	 * recently.
	 */
	private Map<LockKey, Long> takeDueForQuery() {
		Map<LockKey, Long> due = new HashMap<>();
		synchronized (this.uses) {
			long now = System.nanoTime();
			if (now - this.lastQuery >= PAUSE) {
				this.lastQuery = now;
				this.uses.entrySet()
					.stream()
					.limit(AT_A_TIME)
					.forEach((each) -> due.put(each.getKey(), each.getValue().end));
				due.keySet().forEach((key) -> this.uses.put(key, Objects.requireNonNull(this.uses.remove(key))));
			}
		}
		return due;
	}

	/** The use of one lock by the client. */
	private static final class Use {

		private int attempts;

		private long end = System.nanoTime();

		boolean isOver(long now) {
			return this.attempts == 0 && this.end - now <= 0;
		}

	}

}
