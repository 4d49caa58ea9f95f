package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Busy;
import io.github.lockstarter.store.AcquireResult.Granted;

/**
 * One lock as this JVM sees it: who holds it here, and who queues for it. Only the head
 * of the queue contends in the store, for all of them.
 * <p>
 * A holder hands the lock to the next in the queue without the store hearing of it, until
 * the {@linkplain Bid turn} is over; then others get their chance.
 * <p>
 * Every transition happens under this monitor and returns what to do next, which is done
 * outside of it: nothing in here blocks.
 */
final class LocalLock {

	private static final String CLOSED = "the registry is closed";

	private final Engine engine;

	private final LockKey key;

	private final StoreLockRegistry registry;

	private final StoreLock inStore;

	private final WaitQueue queue = new WaitQueue();

	private State state = State.NEW;

	private volatile @Nullable StoreLease lease;

	/** When the lease of a holder elsewhere ends, as far as known. */
	private long busyUntil = System.nanoTime();

	/** Whether a release was heard of while the store was being asked. */
	private boolean woken;

	LocalLock(Engine engine, LockKey key, StoreLockRegistry registry) {
		this.engine = engine;
		this.key = key;
		this.registry = registry;
		this.inStore = new StoreLock(engine, key, this::wake);
	}

	/** Lets the caller contend, queue, or be refused; {@code false} if retired. */
	boolean join(Waiter waiter) {
		Runnable next;
		synchronized (this) {
			if (this.state == State.RETIRED) {
				return false;
			}
			next = admit(waiter);
		}
		next.run();
		return true;
	}

	private Runnable admit(Waiter waiter) {
		boolean taken = this.state == State.HELD || !this.queue.isEmpty();
		if (this.registry.isClosed() || (taken && waiter.waits() && this.registry.isDraining())) {
			return both(retireIfUnused(), fail(List.of(waiter), CLOSED, null));
		}
		if (taken && (!waiter.waits() || this.queue.size() >= this.engine.maxWaiters())) {
			return refuse(waiter);
		}
		this.queue.add(waiter);
		if (this.state == State.NEW) {
			return contend(waiter);
		}
		setAlarm(waiter);
		return LocalLock::nothing;
	}

	/** Removes a caller that has been cancelled. */
	void leave(Waiter waiter) {
		perform(() -> {
			waiter.cancelAlarm();
			return this.queue.remove(waiter) ? retireIfUnused() : LocalLock::nothing;
		});
	}

	/** Refuses a caller whose wait is over, unless the store is about to answer it. */
	private Runnable expire(Waiter waiter) {
		boolean asking = this.state == State.CONTENDING && waiter == this.queue.head();
		if (asking || !this.queue.remove(waiter)) {
			return LocalLock::nothing;
		}
		return both(refuse(waiter), retireIfUnused());
	}

	/**
	 * Ends the waiting of all who queue, except for a head whose answer is on its way.
	 */
	void stopWaiting() {
		perform(() -> {
			boolean asking = this.state == State.CONTENDING || this.state == State.RELEASING;
			List<Waiter> stopped = asking ? this.queue.removeTail() : this.queue.removeAll();
			return both(fail(stopped, CLOSED, null), retireIfUnused());
		});
	}

	/**
	 * Ends the waiting of all who queue, and takes the lock away from its holder.
	 * @return completes when the store has answered or failed
	 */
	CompletableFuture<Void> close() {
		perform(() -> both(fail(this.queue.removeAll(), CLOSED, null), retireIfUnused()));
		StoreLease holder = this.lease;
		return (holder != null) ? holder.lose(CLOSED) : CompletableFuture.completedFuture(null);
	}

	private Runnable contend(Waiter head) {
		this.state = State.CONTENDING;
		this.woken = false;
		return () -> {
			Bid bid = Bid.now(head.options().ttl());
			this.inStore.acquire(bid, head.waits())
				.whenComplete((result, failure) -> perform(() -> answered(bid, result, failure)));
		};
	}

	private Runnable answered(Bid bid, @Nullable AcquireResult result, @Nullable Throwable failure) {
		if (result instanceof Granted granted) {
			return granted(bid, Bid.firstToken(granted.fencingToken()));
		}
		if (result instanceof Busy busy) {
			return busy(busy.remaining());
		}
		Throwable cause = (failure != null) ? OutageLog.cause(failure) : null;
		return both(fail(this.queue.removeAll(), "the store failed", cause), retire());
	}

	private Runnable granted(Bid bid, long fencingToken) {
		Waiter head = this.queue.head();
		if (head != null && bid.deadline() - System.nanoTime() <= 0) {
			this.queue.remove(head);
			return both(giveBack(bid),
					fail(List.of(head), "the store's answer took longer than the ttl of the lease", null));
		}
		// Who it was asked for may have left meanwhile.
		return (head != null && head.options().ttl().equals(bid.ttl())) ? grant(head, bid, fencingToken)
				: giveBack(bid);
	}

	private Runnable grant(Waiter waiter, Bid bid, long fencingToken) {
		this.queue.remove(waiter);
		StoreLease granted = new StoreLease(this.engine, this, this.key, waiter.options(), bid, fencingToken);
		this.lease = granted;
		this.state = State.HELD;
		return () -> {
			this.inStore.unwatch();
			this.engine.renewals().add(granted);
			waiter.grant(granted);
		};
	}

	private Runnable giveBack(Bid bid) {
		this.state = State.RELEASING;
		return () -> this.inStore.release(bid).whenComplete((owned, failure) -> perform(this::released));
	}

	private Runnable released() {
		Waiter head = this.queue.head();
		return (head != null) ? contend(head) : retire();
	}

	private Runnable busy(Duration remaining) {
		this.busyUntil = System.nanoTime() + remaining.toNanos();
		Runnable refusals = this.queue.removeExpiredHeads()
			.stream()
			.map(this::refuse)
			.reduce(LocalLock::nothing, LocalLock::both);
		return both(refusals, goOnWaiting(remaining));
	}

	private Runnable goOnWaiting(Duration remaining) {
		Waiter head = this.queue.head();
		if (head == null || this.registry.isDraining()) {
			return both(fail(this.queue.removeAll(), CLOSED, null), retire());
		}
		if (this.woken || (this.inStore.tellsOfReleases() && !this.inStore.isWatching())) {
			return contend(head);
		}
		setAlarm(head);
		this.state = State.ASLEEP;
		this.inStore.wakeAfter(remaining, head.left());
		return LocalLock::nothing;
	}

	/** The lock may be free elsewhere. */
	private void wake() {
		perform(() -> {
			this.woken = true;
			Waiter head = this.queue.head();
			if (this.state != State.ASLEEP || head == null) {
				return LocalLock::nothing;
			}
			this.inStore.cancelAlarm();
			return contend(head);
		});
	}

	/**
	 * Passes the lock on from a lease that has ended.
	 * @param released to be completed when the lease does not hold the lock any more
	 */
	void release(StoreLease ended, CompletableFuture<Void> released) {
		perform(() -> {
			this.lease = null;
			Waiter next = ended.isLost() ? null : this.queue.head();
			if (next != null && ended.bid().goesOn(ended.fencingToken(), next.options().ttl())) {
				return both(grant(next, ended.bid(), ended.fencingToken() + 1), () -> released.complete(null));
			}
			if (next != null && this.inStore.tellsOfReleases()) {
				return endTurn(ended, next, released);
			}
			this.state = State.RELEASING;
			return () -> this.inStore.release(ended.bid()).whenComplete((owned, failure) -> {
				ended.released(owned, failure);
				perform(this::released);
				released.complete(null);
			});
		});
	}

	/** Lets in whoever waits elsewhere; if nobody does, another turn begins here. */
	private Runnable endTurn(StoreLease ended, Waiter next, CompletableFuture<Void> released) {
		this.state = State.CONTENDING;
		this.woken = false;
		return () -> {
			Bid bid = Bid.now(next.options().ttl());
			this.inStore.handOver(ended.bid(), bid).whenComplete((result, failure) -> {
				boolean owned = result != null && result.isPresent();
				ended.released(owned, failure);
				perform(() -> (owned || failure != null) ? answered(bid, owned ? result.get() : null, failure)
						: released());
				released.complete(null);
			});
		};
	}

	private Runnable refuse(Waiter waiter) {
		long left = this.busyUntil - System.nanoTime();
		StoreLease holder = this.lease;
		Duration remaining = (holder != null) ? holder.remaining() : Duration.ofNanos(Math.max(left, 0));
		return () -> waiter.refuse(remaining.isZero() ? waiter.options().ttl() : remaining);
	}

	/** Each gets an exception of its own: it carries what is answered to one request. */
	private Runnable fail(List<Waiter> waiters, String message, @Nullable Throwable cause) {
		return () -> waiters.forEach((waiter) -> waiter.fail(new LockStoreException(this.key, message, cause)));
	}

	private Runnable retireIfUnused() {
		boolean unused = this.queue.isEmpty() && (this.state == State.NEW || this.state == State.ASLEEP);
		return unused ? retire() : LocalLock::nothing;
	}

	private Runnable retire() {
		this.state = State.RETIRED;
		this.inStore.cancelAlarm();
		return () -> {
			this.inStore.unwatch();
			this.registry.remove(this.key, this);
		};
	}

	private void setAlarm(Waiter waiter) {
		waiter.setAlarm(this.engine.timer(), () -> perform(() -> expire(waiter)));
	}

	private void perform(Supplier<Runnable> transition) {
		Runnable next;
		synchronized (this) {
			next = transition.get();
		}
		next.run();
	}

	private static void nothing() {
	}

	private static Runnable both(Runnable first, Runnable second) {
		return () -> {
			first.run();
			second.run();
		};
	}

}
