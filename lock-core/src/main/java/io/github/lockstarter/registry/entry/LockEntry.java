package io.github.lockstarter.registry.entry;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockConflictException.ConflictReason;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.registry.lease.LeasedLock;
import io.github.lockstarter.registry.lease.StoreLease;
import io.github.lockstarter.registry.lease.Turn;
import io.github.lockstarter.registry.observe.RegistryObserver;
import io.github.lockstarter.registry.observe.StoreFailure;
import io.github.lockstarter.registry.acquisition.Acquisition;
import io.github.lockstarter.registry.acquisition.SharedTokenAcquisition;
import io.github.lockstarter.registry.acquisition.TokenAcquisition;
import io.github.lockstarter.registry.runtime.EngineRuntime;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.AcquireResult;
import io.github.lockstarter.store.AcquireResult.Found;
import io.github.lockstarter.store.AcquireResult.Granted;
import io.github.lockstarter.store.AcquireResult.Held;
import io.github.lockstarter.store.AcquireResult.PredecessorLost;
import io.github.lockstarter.store.Capability;
import io.github.lockstarter.store.LockStore.Renewal;
import io.github.lockstarter.store.ReactiveTransactionalStoredLock;
import io.github.lockstarter.store.StoredLock;
import io.github.lockstarter.store.StoredResult;
import io.github.lockstarter.store.TransactionalStoredLock;

/**
 * The local state of one lock in this instance. Only the head of its queue contends for
 * the lock in the store, on behalf of all callers. A holder hands the lock off to the
 * next caller in the queue without a command to the store, until the {@linkplain Turn
 * turn} is over. Then other instances can acquire the lock.
 * <p>
 * It is a state machine. A transition is made under the monitor and returns a step, which
 * runs after the monitor is released. So neither the store nor a caller is called under
 * the monitor.
 */
final class LockEntry implements LeasedLock {

	private final LockEntries entries;

	private final LockKey key;

	private final StoredLock stored;

	/**
	 * One queue for all locks until the first caller arrives, and while a holder has no
	 * waiters.
	 */
	private WaitQueue queue = WaitQueue.EMPTY;

	/** Created when a caller is about to wait, and dropped when the lock is held here. */
	private @Nullable WakeUp wakeUp;

	/** Created when a caller waits for the first time. */
	private @Nullable WaitTimeout waitTimeout;

	private EntryState state = EntryState.NEW;

	/** The turn of the pending acquire command. */
	private @Nullable Turn asked;

	private volatile @Nullable StoreLease lease;

	/**
	 * Whether the store may notify this lock of a release, and the handle is not closed.
	 */
	private boolean watching;

	/** Whether the last acquire command, if it was rejected, is notified of a release. */
	private boolean registered;

	/** Whether a release was notified since the last acquire command. */
	private boolean released;

	/** The known end of the lease of a holder elsewhere. */
	private long heldUntil;

	LockEntry(LockEntries entries, LockKey key) {
		this.entries = entries;
		this.key = key;
		this.stored = Objects.requireNonNull(entries.store().lock(key), "the store returned no handle for the lock");
		this.heldUntil = now();
	}

	@Override
	public LockKey key() {
		return this.key;
	}

	@Override
	public RegistryObserver observer() {
		return this.entries.observer();
	}

	@Override
	public EngineRuntime runtime() {
		return this.entries.runtime();
	}

	/** Returns the lease of the holder here. */
	@Nullable StoreLease lease() {
		return this.lease;
	}

	/** Makes a transition, and runs the step that it returns. */
	private void perform(Supplier<Step> transition) {
		withMonitor(transition).take();
	}

	private <T extends @Nullable Object> T withMonitor(Supplier<T> action) {
		Lock monitor = this.entries.monitor(this.key);
		monitor.lock();
		try {
			return action.get();
		}
		finally {
			monitor.unlock();
		}
	}

	/** Admits the acquisition, or answers it; {@code false} if this entry is retired. */
	boolean admit(Acquisition acquisition) {
		Step next;
		Lock monitor = this.entries.monitor(this.key);
		monitor.lock();
		try {
			if (this.state == EntryState.RETIRED) {
				return false;
			}
			next = admitted(acquisition);
		}
		finally {
			monitor.unlock();
		}
		next.take();
		return true;
	}

	private Step admitted(Acquisition acquisition) {
		boolean contended = this.state == EntryState.HELD || this.state == EntryState.WAITING;
		Step notification = contended ? WaitQueue.meetContention(acquisition) : Step.NOTHING;
		return notification.then(queuedOrAnswered(acquisition));
	}

	private Step queuedOrAnswered(Acquisition acquisition) {
		boolean taken = this.state == EntryState.HELD || this.queue.headOrTryLock() != null;
		StoreLease holder = this.lease;
		// After the end of the lease, other holders may have left a result before the
		// caller arrived.
		if (holder != null && !holder.remaining().isZero()) {
			acquisition.noteHolder(Turn.storeToken(holder.fencingToken()));
		}
		boolean asking = this.state == EntryState.ACQUIRING || this.state == EntryState.RELEASING;
		if (taken && asking && !acquisition.waits() && !this.entries.isClosed()) {
			ownQueue().addTryLock(acquisition);
			return Step.NOTHING;
		}
		if (this.entries.isClosed() || (taken && acquisition.waits() && this.entries.isDraining())) {
			return retireIfUnused().then(WaitQueue.fail(List.of(acquisition), LockEntries.CLOSED, null));
		}
		if (taken && !acquisition.waits()) {
			Duration remaining = remaining();
			return () -> acquisition.rejectAtOnce(remaining, ConflictReason.HELD);
		}
		if (taken && !this.queue.hasRoomFor(acquisition, this.entries.maxWaiters())) {
			Duration remaining = remaining();
			return () -> acquisition.rejectAtOnce(remaining, ConflictReason.QUEUE_FULL);
		}
		ownQueue().add(acquisition);
		if (this.state == EntryState.NEW) {
			return acquire(acquisition, acquisition.blocks());
		}
		if (acquisition.waits()) {
			waitTimeout().set(acquisition);
		}
		return Step.NOTHING;
	}

	/** Returns whether a caller that does not wait would be rejected at once. */
	boolean isTaken() {
		return withMonitor(() -> this.state == EntryState.HELD || this.state == EntryState.WAITING);
	}

	/**
	 * Reserves this lock, if it is not in use, for an acquisition for several locks.
	 * Other callers queue behind it.
	 * @return the part of this lock in a command for several; {@code null} if it is in
	 * use
	 */
	LockGroup.@Nullable Member reserve(Acquisition acquisition) {
		return withMonitor(() -> {
			if (this.state != EntryState.NEW) {
				return null;
			}
			ownQueue().add(acquisition);
			return member(acquisition);
		});
	}

	/** Begins another command to the store for this reserved lock and others. */
	LockGroup.Member again(Acquisition acquisition) {
		return withMonitor(() -> member(acquisition));
	}

	private LockGroup.Member member(Acquisition acquisition) {
		return new LockGroup.Member(this, acquisition, begin(acquisition, false), this.stored);
	}

	/** Begins a command to the store for this reserved lock alone. */
	void askAlone(Acquisition acquisition) {
		perform(() -> acquire(acquisition));
	}

	/**
	 * Ends a command to the store for this lock and others that was not granted. The
	 * acquisition leaves the queue unanswered: its caller has to acquire another lock
	 * first.
	 * @param held the holder of this lock; {@code null} if it is not known
	 */
	void passOver(Acquisition acquisition, Turn turn, @Nullable Held held) {
		perform(() -> {
			this.asked = null;
			this.queue.remove(acquisition);
			if (held == null) {
				return acquireNext(false);
			}
			return WaitQueue.meetContention(acquisition).then(held(held, turn));
		});
	}

	LockSnapshot snapshot() {
		return withMonitor(() -> new LockSnapshot(this.key,
				Optional.ofNullable(this.lease)
					.map((held) -> new LockSnapshot.Holder(Duration.ofNanos(held.age()), held.remaining(),
							held.fencingToken(), held.request()))
					.orElse(null),
				this.queue.contended()
					.stream()
					.map((waiter) -> new LockSnapshot.Waiter(Duration.ofNanos(waiter.waited()), waiter.request()))
					.toList()));
	}

	/** Removes an acquisition that has been abandoned. */
	void leave(Acquisition acquisition) {
		perform(() -> {
			return this.queue.remove(acquisition) ? retireIfUnused() : Step.NOTHING;
		});
	}

	/** Rejects a waiter, as if the queue had been full when it arrived. */
	void reject(Acquisition acquisition) {
		perform(() -> {
			Duration remaining = remaining();
			return this.queue.remove(acquisition)
					? retireIfUnused().then(() -> acquisition.rejectAtOnce(remaining, ConflictReason.QUEUE_FULL))
					: Step.NOTHING;
		});
	}

	/**
	 * Rejects the waiters whose wait is over, except for one with a pending command.
	 */
	private void expire() {
		perform(() -> {
			long now = now();
			Acquisition asker = (this.state == EntryState.ACQUIRING) ? this.queue.head() : null;
			Step rejections = this.queue.rejectLate(now, asker, remaining());
			waitTimeout().cancel();
			this.queue.forEach((waiter) -> {
				if (waiter.deadline() - now > 0) {
					waitTimeout().set(waiter);
				}
			});
			return rejections.then(retireIfUnused());
		});
	}

	/** Ends all waiting, except for a head with a pending command. */
	void stopWaiting() {
		perform(() -> {
			boolean asking = this.state == EntryState.ACQUIRING || this.state == EntryState.RELEASING;
			return (asking ? this.queue.failTail(LockEntries.CLOSED) : this.queue.failAll(LockEntries.CLOSED, null))
				.then(retireIfUnused());
		});
	}

	/** Ends all waiting and holding. */
	void close() {
		perform(() -> this.queue.failAll(LockEntries.CLOSED, null).then(retireIfUnused()));
		StoreLease held = this.lease;
		if (held != null) {
			held.lose(LockEntries.CLOSED);
		}
	}

	@Override
	public void lose(Turn turn, String why) {
		StoreLease held = this.lease;
		if (held != null && held.turn().equals(turn)) {
			held.lose(why);
		}
	}

	@Override
	public Renewal renewal(Turn turn, Duration ttl) {
		return new Renewal(this.stored, turn.owner(), ttl);
	}

	@Override
	public @Nullable TransactionalStoredLock transactional() {
		return this.entries.as(Capability.JOINS_TRANSACTIONS, TransactionalStoredLock.class, this.stored);
	}

	@Override
	public @Nullable ReactiveTransactionalStoredLock reactiveTransactional() {
		return this.entries.as(Capability.JOINS_REACTIVE_TRANSACTIONS, ReactiveTransactionalStoredLock.class,
				this.stored);
	}

	private Step acquire(Acquisition head) {
		return acquire(head, false);
	}

	/**
	 * Sends an acquire command for the head of the queue.
	 * @param blocking whether this may block until the store has answered
	 */
	private Step acquire(Acquisition head, boolean blocking) {
		boolean notified = head.waits() && this.entries.isNotified();
		this.watching |= notified;
		Turn turn = begin(head, notified);
		return () -> StoreFailure.caught(() -> {
			AcquireCommand command = head.command(turn.owner());
			return handle(blocking).acquire(notified ? command.notifying(this::wake) : command);
		}).whenComplete((result, failure) -> answered(turn, head, result, note(failure)));
	}

	/**
	 * Begins a turn, whose acquire command is about to be sent. Callers that are answered
	 * before it is sent take their time from the turn.
	 * @param notified whether the command, if it finds the lock held, is notified of a
	 * release
	 */
	private Turn begin(Acquisition head, boolean notified) {
		Turn turn = new Turn(head.nextOwner(), now(), head.options().ttl());
		this.state = EntryState.ACQUIRING;
		this.asked = turn;
		this.released = false;
		this.registered = notified;
		return turn;
	}

	private StoredLock handle(boolean blocking) {
		return blocking ? this.stored.blocking() : this.stored;
	}

	private CompletionStage<Boolean> askToRelease(Turn turn) {
		return StoreFailure.caught(() -> this.stored.release(turn.owner(), null));
	}

	/** Records an answer of the store. Returns its failure, if any. */
	private @Nullable Throwable note(@Nullable Throwable failure) {
		this.entries.observer().storeAnswered(this.key, failure);
		return StoreFailure.cause(failure);
	}

	void answered(Turn turn, Acquisition asker, @Nullable AcquireResult result, @Nullable Throwable failure) {
		perform(() -> {
			if (!turn.equals(this.asked)) {
				// A second answer of the store must not create a second holder.
				return Step.NOTHING;
			}
			this.asked = null;
			if (result instanceof Granted granted) {
				return granted(turn, asker, granted.fencingToken());
			}
			if (result instanceof Held held) {
				return held(held, turn);
			}
			if (result instanceof Found found) {
				return this.queue.give(found.result(), turn.asked() - found.age().toNanos(), asker)
					.then(acquireNext(false));
			}
			if (result instanceof PredecessorLost) {
				return acquireNext(false);
			}
			return this.queue.failAll("the store failed", failure).then(retire());
		});
	}

	private Step granted(Turn turn, Acquisition asker, long storeToken) {
		Acquisition head = this.queue.headOrTryLock();
		boolean over = turn.isOver(now());
		if (head == asker && over) {
			this.queue.remove(head);
			return giveBack(turn, asker)
				.then(WaitQueue.fail(List.of(head), "the store's answer took longer than the ttl of the lease", null));
		}
		if (head == null || over || (head != asker && !head.canUseGrantOf(asker))) {
			return giveBack(turn, asker);
		}
		return (head instanceof TokenAcquisition acquisition) ? grantToToken(acquisition, turn, storeToken)
				: grant(head, turn, Turn.firstToken(storeToken));
	}

	private Step grant(Acquisition acquisition, Turn turn, long fencingToken) {
		this.queue.remove(acquisition);
		this.queue.noteHolder(Turn.storeToken(fencingToken), now());
		cancelWakeUp();
		this.wakeUp = null;
		StoreLease granted = new StoreLease(this, acquisition, turn, fencingToken);
		this.lease = granted;
		this.state = EntryState.HELD;
		Step closing = stopWatching();
		Step rejections = this.queue.held(granted.remaining());
		if (this.queue.isEmpty()) {
			this.queue = WaitQueue.EMPTY;
		}
		// The holder is answered before the rejected callers: it has work to do, and they
		// may be many.
		return closing.then(() -> {
			if (closing != Step.NOTHING && this.lease != granted) {
				// The lease has ended in the meantime, and a waiter may rely on the
				// closed handle.
				wake();
			}
			this.entries.renewals().add(granted);
			acquisition.grant(granted, granted.hold());
		}).then(rejections);
	}

	/** From now on, this instance treats the lock as held elsewhere. */
	private Step grantToToken(TokenAcquisition acquisition, Turn turn, long storeToken) {
		this.queue.remove(acquisition);
		this.heldUntil = turn.deadline();
		return this.queue.held(remaining())
			.then(() -> acquisition.grantToToken(turn.held(storeToken, false, now())))
			.then(scheduleNext());
	}

	/** Releases a lock that was granted to a caller that has given up. */
	private Step giveBack(Turn turn, Acquisition asker) {
		this.state = EntryState.RELEASING;
		if (asker instanceof SharedTokenAcquisition) {
			return scheduleNext();
		}
		return () -> askToRelease(turn).whenComplete((owned, failure) -> {
			note(failure);
			perform(() -> acquireNext(false));
		});
	}

	/**
	 * Scheduled, not called: a store that answers immediately would otherwise cause a
	 * deep recursion.
	 */
	private Step scheduleNext() {
		this.state = EntryState.RELEASING;
		return () -> this.entries.runtime().schedule(() -> perform(() -> acquireNext(false)), 0);
	}

	/**
	 * The lock may be free: acquires it for the next caller in the queue.
	 * @param endsTurn whether the lock was released although another caller waits here
	 */
	private Step acquireNext(boolean endsTurn) {
		Step rejections = this.queue.rejectHeads((acquisition) -> acquisition.waits() && acquisition.left() <= 0,
				remaining());
		Acquisition head = this.queue.headOrTryLock();
		if (endsTurn && head != null && head.waits() && yieldsToOtherInstances() && !this.entries.isDraining()) {
			this.state = EntryState.WAITING;
			wakeUp().soon();
			return rejections.then(this.queue.rejectTryLocks(remaining()));
		}
		return rejections.then((head != null) ? acquire(head) : retire());
	}

	/**
	 * Returns whether this entry has to pause after a release. Waiters of other instances
	 * that are not notified would never find the lock free if it was acquired again at
	 * once.
	 */
	private boolean yieldsToOtherInstances() {
		return !this.entries.isNotified() && this.entries.isShared();
	}

	private Step held(Held held, Turn asked) {
		this.queue.noteHolder(held.fencingToken(), asked.asked());
		this.heldUntil = now() + held.remaining().toNanos();
		return held(held.remaining());
	}

	private Step held(Duration remaining) {
		return this.queue.held(remaining)
			.then(this.queue.rejectHeads((acquisition) -> acquisition.left() <= 0, remaining))
			.then(waitForRelease(remaining));
	}

	private Step waitForRelease(Duration remaining) {
		Acquisition head = this.queue.head();
		if (head == null || this.entries.isDraining()) {
			return this.queue.failAll(LockEntries.CLOSED, null).then(retire());
		}
		if (mayBeFree()) {
			return acquire(head);
		}
		this.state = EntryState.WAITING;
		wakeUp().after(remaining, head, this.entries.isNotified());
		waitTimeout().set(head);
		return Step.NOTHING;
	}

	/**
	 * Returns whether the lock was, or may have been, released since it was found held.
	 */
	private boolean mayBeFree() {
		return this.released || (this.entries.isNotified() && !this.registered);
	}

	/** The lock may have become free elsewhere. */
	void wake() {
		perform(() -> {
			this.released = true;
			Acquisition head = this.queue.head();
			if (this.state != EntryState.WAITING || head == null) {
				return Step.NOTHING;
			}
			cancelWakeUp();
			return acquire(head);
		});
	}

	@Override
	public void release(StoreLease ended, @Nullable StoredResult result, boolean blocking) {
		perform(() -> {
			this.lease = null;
			Turn turn = ended.turn();
			Duration left = (result == null) ? ended.leftToHold() : Duration.ZERO;
			if (!left.isZero()) {
				return releaseAfter(left, ended, blocking);
			}
			Acquisition next = (result == null) ? ended.successor(this.queue.head()) : null;
			if (next != null && turn.allowsAnother(ended.fencingToken(), next.options().ttl(), now())) {
				this.entries.observer().count(this.key, Event.HANDED_OFF);
				return grant(next, turn, ended.fencingToken() + 1).then(ended::done);
			}
			if (next != null && this.entries.handsOver()) {
				return endTurn(ended, next);
			}
			this.state = EntryState.RELEASING;
			long sent = now();
			return () -> StoreFailure.caught(() -> handle(blocking).release(turn.owner(), result))
				.whenComplete((owned, failure) -> {
					ended.released(owned, note(failure));
					StoredResult kept = Boolean.TRUE.equals(owned) ? result : null;
					perform(() -> this.queue.give(kept, sent, null).then(acquireNext(next != null)));
					ended.done();
				});
		});
	}

	/**
	 * Keeps the lock unavailable to all callers for a while, including the waiters here.
	 */
	private Step releaseAfter(Duration time, StoreLease ended, boolean blocking) {
		this.state = EntryState.RELEASING;
		this.heldUntil = now() + time.toNanos();
		return () -> StoreFailure.caught(() -> handle(blocking).releaseAfter(ended.turn().owner(), time))
			.whenComplete((owned, failure) -> {
				ended.released(owned, note(failure));
				perform(() -> acquireNext(true));
				ended.done();
			});
	}

	/**
	 * Yields to the waiters of other instances. If there are none, another turn begins
	 * here.
	 */
	private Step endTurn(StoreLease ended, Acquisition next) {
		this.watching = true;
		Turn turn = begin(next, true);
		return () -> {
			AcquireCommand command = AcquireCommand.of(turn.owner(), turn.ttl())
				.notifying(this::wake)
				.after(ended.turn().owner());
			StoreFailure.caught(() -> this.stored.acquire(command)).whenComplete((result, thrown) -> {
				Throwable failure = note(thrown);
				if (result != null) {
					ended.released(!(result instanceof PredecessorLost), null);
				}
				else {
					// If the command did not reach the store, the turn still owns the
					// lock. If it did, this release finds no lock, which is not a loss.
					askToRelease(ended.turn()).whenComplete((owned, again) -> ended.released(true, note(again)));
				}
				answered(turn, next, result, failure);
				ended.done();
			});
		};
	}

	private Duration remaining() {
		StoreLease held = this.lease;
		return (held != null) ? held.remaining() : Duration.ofNanos(Math.max(this.heldUntil - now(), 0));
	}

	private Step retireIfUnused() {
		boolean unused = this.queue.isEmpty() && (this.state == EntryState.NEW || this.state == EntryState.WAITING);
		return unused ? retire() : Step.NOTHING;
	}

	private Step retire() {
		this.state = EntryState.RETIRED;
		cancelWakeUp();
		if (this.waitTimeout != null) {
			this.waitTimeout.cancel();
		}
		return stopWatching().then(() -> this.entries.remove(this));
	}

	private WaitQueue ownQueue() {
		if (this.queue == WaitQueue.EMPTY) {
			this.queue = new WaitQueue();
		}
		return this.queue;
	}

	private WakeUp wakeUp() {
		WakeUp wakeUp = this.wakeUp;
		if (wakeUp == null) {
			wakeUp = new WakeUp(this.entries.runtime(), this::wake);
			this.wakeUp = wakeUp;
		}
		return wakeUp;
	}

	private WaitTimeout waitTimeout() {
		if (this.waitTimeout == null) {
			this.waitTimeout = new WaitTimeout(this.entries.runtime(), this::expire);
		}
		return this.waitTimeout;
	}

	private void cancelWakeUp() {
		WakeUp wakeUp = this.wakeUp;
		if (wakeUp != null) {
			wakeUp.cancel();
		}
	}

	/**
	 * Closes the handle if it may be notified: the holder of a lock needs no
	 * notification. A waiter that sends a command before this step runs registers again.
	 */
	private Step stopWatching() {
		if (!this.watching) {
			return Step.NOTHING;
		}
		this.watching = false;
		return this::closeHandle;
	}

	private void closeHandle() {
		try {
			this.stored.close();
		}
		catch (Throwable ex) {
			// A superfluous notification is harmless.
			note(ex);
		}
	}

	private long now() {
		return this.entries.runtime().nanoTime();
	}

}
