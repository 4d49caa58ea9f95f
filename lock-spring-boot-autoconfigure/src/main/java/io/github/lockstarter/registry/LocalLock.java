package io.github.lockstarter.registry;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.LeftResult;

/**
 * One lock as this JVM sees it: who holds it here, and who queues for it. Only the head
 * of the queue contends in the store, for all of them. A holder hands the lock to the
 * next in the queue without the store hearing of it, until the {@linkplain Bid turn} is
 * over; then others get their chance.
 */
final class LocalLock {

	private static final String CLOSED = "the registry is being closed";

	private final Engine engine;

	private final LockKey key;

	private final StoreLockRegistry registry;

	private final StoreLock inStore;

	private final Transitions transitions = new Transitions();

	private final WaitQueue queue = new WaitQueue();

	private State state = State.NEW;

	private volatile @Nullable StoreLease lease;

	private final CompletableFuture<Void> retired = new CompletableFuture<>();

	LocalLock(Engine engine, LockKey key, StoreLockRegistry registry) {
		this.engine = engine;
		this.key = key;
		this.registry = registry;
		this.inStore = new StoreLock(engine, key, this::wake);
	}

	/** Admits the caller, or refuses him; {@code false} if retired. */
	boolean join(Waiter waiter) {
		return this.transitions
			.performIfAny(() -> (this.state != State.RETIRED) ? Optional.of(admit(waiter)) : Optional.empty());
	}

	private Step admit(Waiter waiter) {
		boolean taken = this.state == State.HELD || this.queue.headOrOnlooker() != null;
		this.queue.meet(waiter, this.state == State.HELD || this.state == State.ASLEEP);
		holder().ifPresent((holder) -> waiter.meetHolder(Bid.storeToken(holder.fencingToken())));
		boolean undecided = this.state == State.CONTENDING || this.state == State.RELEASING;
		if (taken && undecided && !waiter.waits() && !this.registry.isClosed()) {
			this.queue.addOnlooker(waiter);
			return Step.NOTHING;
		}
		if (this.registry.isClosed() || (taken && waiter.waits() && this.registry.isDraining())) {
			return retireIfUnused().then(this.queue.fail(List.of(waiter), CLOSED, null));
		}
		if (taken && !waiter.waits()) {
			return WaitQueue.refuse(List.of(waiter), remaining());
		}
		if (taken && !this.queue.hasRoomFor(waiter, this.engine.maxWaiters())) {
			Duration remaining = remaining();
			return () -> waiter.refuseForFullQueue(remaining);
		}
		this.queue.add(waiter);
		return (this.state == State.NEW) ? contend(waiter) : setAlarm(waiter);
	}

	/** Returns what is to be seen of it. */
	LockSnapshot look() {
		return this.transitions
			.look(() -> new LockSnapshot(this.key, holder().map(StoreLease::look).orElse(null), this.queue.look()));
	}

	/** Removes a caller that has been cancelled. */
	void leave(Waiter waiter) {
		this.transitions.perform(() -> {
			waiter.cancelAlarm();
			return this.queue.remove(waiter) ? retireIfUnused() : Step.NOTHING;
		});
	}

	/** Refuses a caller whose wait is over, unless the store is about to answer it. */
	private Step expire(Waiter waiter) {
		boolean asking = this.state == State.CONTENDING && waiter == this.queue.head();
		return (asking || !this.queue.remove(waiter)) ? Step.NOTHING
				: WaitQueue.refuse(List.of(waiter), remaining()).then(retireIfUnused());
	}

	/** Ends all waiting, except for a head whose answer is on its way. */
	void stopWaiting() {
		this.transitions.perform(() -> {
			boolean asking = this.state == State.CONTENDING || this.state == State.RELEASING;
			return (asking ? this.queue.failTail(CLOSED) : this.queue.failAll(CLOSED, null)).then(retireIfUnused());
		});
	}

	/** Ends all waiting and holding; completes when nothing is under way any more. */
	CompletableFuture<Void> close() {
		this.transitions.perform(() -> this.queue.failAll(CLOSED, null).then(retireIfUnused()));
		holder().ifPresent((holder) -> holder.lose(CLOSED));
		return this.retired;
	}

	/** Takes the lock from whoever has it by that bid. */
	void lose(Bid bid, String why) {
		holder().filter((holder) -> holder.bid().equals(bid)).ifPresent((holder) -> holder.lose(why));
	}

	/** Returns whoever holds it here. */
	Optional<StoreLease> holder() {
		return Optional.ofNullable(this.lease);
	}

	private Step contend(Waiter head) {
		this.state = State.CONTENDING;
		return () -> {
			Bid bid = head.bid();
			this.inStore.acquire(bid, head)
				.whenComplete(
						(result, failure) -> this.transitions.perform(() -> answered(bid, head, result, failure)));
		};
	}

	private Step answered(Bid bid, Waiter asker, @Nullable AcquireResult result, @Nullable Throwable failure) {
		if (result instanceof AcquireResult.Granted granted) {
			return granted(bid, asker, granted.fencingToken());
		}
		if (result instanceof AcquireResult.Busy busy) {
			this.queue.meetHolder(busy.fencingToken(), bid.asked());
			this.inStore.meetHolder(busy.remaining());
			return busy(busy.remaining());
		}
		if (result instanceof AcquireResult.Found found) {
			return this.queue.give(found.result(), bid.asked() - found.age().toNanos(), asker).then(released(false));
		}
		return this.queue.failAll("the store failed", OutageLog.cause(failure)).then(retire());
	}

	private Step granted(Bid bid, Waiter asker, long storeToken) {
		Waiter head = this.queue.headOrOnlooker();
		if (head == asker && bid.isOver()) {
			this.queue.remove(head);
			return giveBack(bid, asker)
				.then(this.queue.fail(List.of(head), "the store's answer took longer than the ttl of the lease", null));
		}
		if (head == null || bid.isOver() || !head.accepts(bid, asker)) {
			return giveBack(bid, asker);
		}
		return head.isForToken() ? entrust(head, bid, storeToken) : grant(head, bid, Bid.firstToken(storeToken));
	}

	private Step grant(Waiter waiter, Bid bid, long fencingToken) {
		this.queue.remove(waiter);
		this.queue.meetHolder(Bid.storeToken(fencingToken), System.nanoTime());
		StoreLease granted = new StoreLease(this.engine, this, waiter, bid, fencingToken);
		this.lease = granted;
		this.state = State.HELD;
		return this.queue.taken(remaining()).then(() -> {
			this.inStore.unwatch();
			granted.begin();
			this.engine.renewals().add(granted);
			waiter.grant(granted);
		});
	}

	/** From now on the lock is held elsewhere, as far as this JVM is concerned. */
	private Step entrust(Waiter waiter, Bid bid, long storeToken) {
		this.queue.remove(waiter);
		this.inStore.heldUntil(bid.deadline());
		return this.queue.taken(remaining()).then(() -> waiter.entrust(bid.held(storeToken, false))).then(goOn());
	}

	private Step giveBack(Bid bid, Waiter asker) {
		this.state = State.RELEASING;
		return asker.isKnownElsewhere() ? goOn() : () -> this.inStore.release(bid, null)
			.whenComplete((owned, failure) -> this.transitions.perform(() -> released(false)));
	}

	/**
	 * A store that answers at once may grant one after the other: not all in one call.
	 */
	private Step goOn() {
		this.state = State.RELEASING;
		return () -> this.engine.answers().execute(() -> this.transitions.perform(() -> released(false)));
	}

	private Step released(boolean endsTurn) {
		Step refusals = this.queue.refuseHeads((waiter) -> waiter.waits() && waiter.left() <= 0, remaining());
		Waiter head = this.queue.headOrOnlooker();
		if (endsTurn && head != null && head.waits() && this.inStore.mustLetOthersLook()
				&& !this.registry.isDraining()) {
			this.state = State.ASLEEP;
			this.inStore.wakeSoon();
			return refusals.then(this.queue.refuseOnlookers(remaining()));
		}
		return refusals.then((head != null) ? contend(head) : retire());
	}

	private Step busy(Duration remaining) {
		return this.queue.taken(remaining)
			.then(this.queue.refuseHeads((waiter) -> waiter.left() <= 0, remaining))
			.then(goOnWaiting(remaining));
	}

	private Step goOnWaiting(Duration remaining) {
		Waiter head = this.queue.head();
		if (head == null || this.registry.isDraining()) {
			return this.queue.failAll(CLOSED, null).then(retire());
		}
		if (this.inStore.mayBeFree()) {
			return contend(head);
		}
		this.state = State.ASLEEP;
		this.inStore.wakeAfter(remaining, head);
		return setAlarm(head);
	}

	/** The lock may be free elsewhere. */
	void wake() {
		this.transitions.perform(() -> {
			this.inStore.noteRelease();
			Waiter head = this.queue.head();
			if (this.state != State.ASLEEP || head == null) {
				return Step.NOTHING;
			}
			this.inStore.cancelAlarm();
			return contend(head);
		});
	}

	/** Passes on the lock of a lease that has ended, or its result. */
	void release(StoreLease ended, @Nullable LeftResult result) {
		this.transitions.perform(() -> {
			this.lease = null;
			Waiter next = (result == null) ? ended.successor(this.queue.head()) : null;
			if (next != null && ended.bid().goesOn(ended.fencingToken(), next.options().ttl())) {
				next.attempt().count(Event.HANDED_OFF);
				return grant(next, ended.bid(), ended.fencingToken() + 1).then(ended::done);
			}
			if (next != null && this.inStore.tellsOfReleases()) {
				return endTurn(ended, next);
			}
			this.state = State.RELEASING;
			long sent = System.nanoTime();
			return () -> this.inStore.release(ended.bid(), result).whenComplete((owned, failure) -> {
				ended.released(owned, failure);
				LeftResult left = Boolean.TRUE.equals(owned) ? result : null;
				this.transitions.perform(() -> this.queue.give(left, sent, null).then(released(next != null)));
				ended.done();
			});
		});
	}

	/** Lets in whoever waits elsewhere; if nobody does, another turn begins here. */
	private Step endTurn(StoreLease ended, Waiter next) {
		this.state = State.CONTENDING;
		return () -> {
			Bid bid = next.bid();
			this.inStore.handOver(ended.bid(), bid).whenComplete((result, failure) -> {
				boolean owned = result != null && result.isPresent();
				ended.released(owned, failure);
				this.transitions.perform(() -> (owned || failure != null)
						? answered(bid, next, owned ? result.get() : null, failure) : released(false));
				ended.done();
			});
		};
	}

	private Duration remaining() {
		return holder().map(StoreLease::remaining).orElseGet(this.inStore::remaining);
	}

	private Step retireIfUnused() {
		boolean unused = this.queue.isEmpty() && (this.state == State.NEW || this.state == State.ASLEEP);
		return unused ? retire() : Step.NOTHING;
	}

	private Step retire() {
		this.state = State.RETIRED;
		this.inStore.cancelAlarm();
		return () -> {
			this.inStore.unwatch();
			this.registry.remove(this.key, this);
			this.retired.complete(null);
		};
	}

	private Step setAlarm(Waiter waiter) {
		waiter.setAlarm(this.engine.timer(), () -> this.transitions.perform(() -> expire(waiter)));
		return Step.NOTHING;
	}

}
