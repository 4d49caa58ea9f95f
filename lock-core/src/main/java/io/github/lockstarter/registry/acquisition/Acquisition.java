package io.github.lockstarter.registry.acquisition;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockConflictException.ConflictReason;
import io.github.lockstarter.LockCounts.Event;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.LockStoreException;
import io.github.lockstarter.registry.observe.HoldObservation;
import io.github.lockstarter.registry.observe.LockObservation;
import io.github.lockstarter.registry.acquisition.Answer.Abandoned;
import io.github.lockstarter.registry.acquisition.Answer.Failed;
import io.github.lockstarter.registry.acquisition.Answer.GivenResult;
import io.github.lockstarter.registry.acquisition.Answer.HeldByToken;
import io.github.lockstarter.registry.acquisition.Answer.Leased;
import io.github.lockstarter.registry.acquisition.Answer.Rejected;
import io.github.lockstarter.registry.acquisition.Delivery.Async;
import io.github.lockstarter.registry.acquisition.Delivery.Blocking;
import io.github.lockstarter.registry.sharing.SharedLease;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.ResultKey;
import io.github.lockstarter.store.StoredResult;

/**
 * The attempt of one caller to acquire a lock, with one deadline. It ends once: with an
 * answer of the engine, or when the caller gives up.
 */
public abstract sealed class Acquisition permits LeaseAcquisition, ResultAcquisition, TokenAcquisition {

	/** Updates a field instead of an object, because there may be many waiters. */
	private static final AtomicIntegerFieldUpdater<Acquisition> DELIVERED = AtomicIntegerFieldUpdater
		.newUpdater(Acquisition.class, "delivered");

	private static final Log logger = LogFactory.getLog(Acquisition.class);

	private final LockKey key;

	private final LockOptions options;

	private final Delivery delivery;

	private final RegistryContext context;

	private final long begin;

	/** Observes the attempt, if it is observed. */
	private final @Nullable LockObservation observation;

	/** Observes the release of the lock, if it is observed. */
	private final @Nullable Consumer<LockKey> releaseListener;

	private final CompletableFuture<Answer> answer = new CompletableFuture<>();

	/** 1 after the answer was delivered to the caller, or the caller has given up. */
	private volatile int delivered;

	private volatile boolean contended;

	Acquisition(LockKey key, LockOptions options, Delivery delivery, RegistryContext context) {
		this.key = key;
		this.options = options;
		this.delivery = delivery;
		this.context = context;
		this.begin = context.runtime().nanoTime();
		this.observation = context.observer().acquire(key);
		this.releaseListener = context.observer().releaseListener();
	}

	/**
	 * Returns the owner token for the next command to the store: by default a new one for
	 * each.
	 */
	public String nextOwner() {
		return this.context.owners().next();
	}

	/** Returns the command for the store, without the action for a release. */
	public abstract AcquireCommand command(String owner);

	/** Returns the result that the caller accepts instead of the lock, if any. */
	public @Nullable ResultKey resultKey() {
		return null;
	}

	/** Returns whether the caller accepts the result, which was stored at that time. */
	public boolean takes(StoredResult result, long stored) {
		return false;
	}

	/**
	 * Records the fencing token of the store for the current holder of the lock.
	 */
	public void noteHolder(long storeToken) {
	}

	/**
	 * Returns whether a holder in this instance can hand the lock off to the caller,
	 * without a command to the store.
	 * @param held the result key of the holder
	 */
	public abstract boolean canFollow(@Nullable ResultKey held);

	/**
	 * Returns whether the caller can use the grant of another caller.
	 * @param asker the other caller
	 */
	public final boolean canUseGrantOf(Acquisition asker) {
		return canFollow(asker.resultKey()) && !(asker instanceof TokenAcquisition)
				&& this.options.ttl().equals(asker.options.ttl());
	}

	public final LockKey key() {
		return this.key;
	}

	public final LockOptions options() {
		return this.options;
	}

	/** Returns the executor for the notification of the end of the lease. */
	public final Executor executor() {
		return this.delivery.executor();
	}

	/** Returns the observation of the attempt, if it is observed. */
	public final @Nullable LockObservation observation() {
		return this.observation;
	}

	/** Returns what observes the release of the lock, if it is observed. */
	public final @Nullable Consumer<LockKey> releaseListener() {
		return this.releaseListener;
	}

	/** Returns the HTTP request that it belongs to, if it is known. */
	public final @Nullable String request() {
		return (this.observation != null) ? this.observation.request() : null;
	}

	/** Returns the time of its creation, on the clock of the runtime. */
	public final long begin() {
		return this.begin;
	}

	/** Returns whether a thread of the caller waits for the answer. */
	public final boolean blocks() {
		return this.delivery instanceof Blocking;
	}

	public final boolean waits() {
		return !this.options.waitTime().isZero();
	}

	/** Returns the time it has waited, in nanoseconds. */
	public final long waited() {
		return this.context.runtime().nanoTime() - this.begin;
	}

	/** Returns the end of the wait, on the clock of the runtime. */
	public final long deadline() {
		return this.begin + this.options.waitTime().toNanos();
	}

	/** Returns the rest of the wait; not positive when it is over. */
	public final long left() {
		return deadline() - this.context.runtime().nanoTime();
	}

	/** Returns whether the caller has found the lock held. */
	public final boolean isContended() {
		return this.contended;
	}

	/**
	 * Marks the caller as contended. The first time, it is counted.
	 * @return whether the caller has to be notified by {@link #notifyOfContention()}
	 */
	public final boolean meetContention() {
		if (this.contended) {
			return false;
		}
		this.contended = true;
		this.context.observer().count(this.key, Event.CONTENDED);
		return this.delivery.isNotified();
	}

	/**
	 * Notifies the caller that the lock is held. Nothing that it throws stops the engine.
	 */
	public final void notifyOfContention() {
		try {
			this.delivery.contended();
		}
		catch (Throwable ex) {
			logger.error("The notification of a caller of lock '%s' failed".formatted(this.key.name()), ex);
		}
	}

	/** Answers the caller with the lease, which is observed from then on. */
	public final void grant(SharedLease lease, @Nullable HoldObservation hold) {
		answer(new Leased(lease, hold));
	}

	/** Answers the caller with a result instead of the lock. */
	public final void give(StoredResult result) {
		answer(new GivenResult(result));
	}

	/**
	 * Rejects the caller. The remaining time is zero if the holder's lease is unknown.
	 */
	public final void reject(Duration remaining) {
		answer(rejection(remaining, waits() ? ConflictReason.WAIT_TIMEOUT : ConflictReason.HELD));
	}

	/**
	 * Rejects the caller while it submits the acquisition. The caller has to call
	 * {@link #deliverRejection()} afterwards, which saves a thread switch.
	 */
	public void rejectAtOnce(Duration remaining, ConflictReason reason) {
		this.answer.complete(rejection(remaining, reason));
	}

	/**
	 * Delivers the answer on this thread, if it is a rejection.
	 * @return whether it is
	 */
	public boolean deliverRejection() {
		if (this.delivery instanceof Async async && this.answer.getNow(null) instanceof Rejected rejected) {
			deliver(rejected, async.action());
			return true;
		}
		return false;
	}

	final Rejected rejection(Duration remaining, ConflictReason reason) {
		return new Rejected(remaining.isZero() ? this.options.ttl() : remaining, reason);
	}

	public final void fail(String message, @Nullable Throwable cause) {
		answer(new Failed(new LockStoreException(this.key, message, cause)));
	}

	/**
	 * Gives up. An answer that has not been delivered to the caller is returned.
	 * @return whether there was no answer, and will be none
	 */
	public final boolean abandon() {
		if (this.answer.complete(new Abandoned())) {
			this.context.runtime().listeners().execute(() -> end(Event.CANCELLED, null));
			return true;
		}
		if (isFirstToDeliver()) {
			Answer given = this.answer.join();
			giveBack(given);
			this.context.runtime().listeners().execute(() -> observe(given));
		}
		return false;
	}

	/** Runs an action of the engine when the acquisition is answered or abandoned. */
	public final void whenAnswered(Runnable action) {
		this.answer.thenRun(action);
	}

	/** Releases the lock of an answer for a caller that has given up. */
	public void giveBack(Answer given) {
		if (given instanceof Leased leased) {
			leased.lease().releaseUnused();
		}
	}

	/** Answers the caller, or returns the answer if the caller has given up. */
	void answer(Answer given) {
		if (!this.answer.complete(given)) {
			giveBack(given);
		}
		else if (this.delivery instanceof Async async) {
			async.executor().execute(() -> deliver(given, async.action()));
		}
	}

	/**
	 * Delivers the answer, once: an executor may run its task twice. The observation of
	 * the attempt ends before the action, as it does for a caller whose thread waits: the
	 * action may include all work under the lock.
	 */
	private void deliver(Answer given, BiConsumer<Acquisition, Answer> action) {
		if (isFirstToDeliver()) {
			try {
				observe(given);
			}
			finally {
				action.accept(this, given);
			}
		}
	}

	private boolean isFirstToDeliver() {
		return this.delivered == 0 && DELIVERED.compareAndSet(this, 0, 1);
	}

	/**
	 * Waits, on the thread of the caller, until it is known whether the caller has to
	 * wait for a holder.
	 * @return whether it has to
	 * @throws InterruptedException if the thread is interrupted
	 */
	public final boolean awaitContention() throws InterruptedException {
		if (!(this.delivery instanceof Blocking blocking) || blocking.contention() == null) {
			return false;
		}
		try {
			CompletableFuture.anyOf(this.answer, blocking.contention()).get();
			return !this.answer.isDone();
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Waits for the answer, on the thread of the caller.
	 * @throws InterruptedException if the thread is interrupted
	 */
	public final Answer await() throws InterruptedException {
		try {
			Answer given = this.answer.get();
			this.delivered = 1;
			observe(given);
			return given;
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Reports the answer to operators, on a thread of the caller. */
	private void observe(Answer given) {
		if (given instanceof Leased leased) {
			end(Event.GRANTED, null);
			if (leased.hold() != null) {
				leased.hold().begin();
			}
		}
		else if (given instanceof HeldByToken) {
			end(Event.GRANTED, null);
		}
		else if (given instanceof GivenResult) {
			end(Event.RESULT, null);
		}
		else if (given instanceof Rejected rejected) {
			end(event(rejected.reason()), null);
		}
		else if (given instanceof Failed failed) {
			end(Event.ERROR, failed.failure());
		}
	}

	private static Event event(ConflictReason reason) {
		return switch (reason) {
			case HELD -> Event.CONFLICT;
			case WAIT_TIMEOUT -> Event.TIMEOUT;
			case QUEUE_FULL -> Event.QUEUE_FULL;
		};
	}

	/** Reports the end of the attempt to operators. Runs code of the application. */
	private void end(Event outcome, @Nullable Throwable failure) {
		this.context.observer().ended(this.key, outcome, this.begin, request());
		if (this.observation != null) {
			boolean waited = this.contended && waits() && outcome != Event.QUEUE_FULL;
			this.observation.stop(outcome, waited ? Duration.ofNanos(waited()) : null, failure);
		}
	}

}
