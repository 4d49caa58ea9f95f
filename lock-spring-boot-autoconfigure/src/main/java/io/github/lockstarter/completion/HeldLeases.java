package io.github.lockstarter.completion;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.registry.request.SharedLease;
import io.github.lockstarter.result.EmittedValues;
import io.github.lockstarter.result.Outcome;
import io.github.lockstarter.result.ResponseHead;
import io.github.lockstarter.result.SharedCall;
import io.github.lockstarter.result.SharedResult;
import io.github.lockstarter.result.SharedResult.Answered;

/**
 * The leases of one call of an annotated method. They are released together, in reverse
 * order, when the work of the call has ended: with the method, or later. If the response
 * is covered as well, or the work has not begun, they are released at the end of the
 * request at the earliest.
 */
public final class HeldLeases {

	static final String TRANSACTIONS = "org.springframework.transaction.support.TransactionSynchronizationManager";

	static final boolean TRANSACTIONS_PRESENT = ClassUtils.isPresent(TRANSACTIONS, HeldLeases.class.getClassLoader());

	private final Method method;

	private final List<Lease> leases;

	private final @Nullable Lease lease;

	private final boolean untilResponse;

	private final @Nullable SharedCall sharing;

	private final @Nullable Outcome outcome;

	/** The result to store for other callers at the release. */
	private volatile @Nullable String result;

	/**
	 * Returns the status and headers that the handler has set; empty without a response.
	 */
	private volatile Supplier<@Nullable ResponseHead> response = () -> ResponseHead.EMPTY;

	/** Whether the answer is known at the end of the request. */
	private boolean answered;

	private boolean awaitsAnswer;

	private volatile boolean failed;

	private volatile boolean begun;

	/** Whether the work never began. */
	private volatile boolean unused;

	private volatile boolean rolledBack;

	/** The transaction of an advice that was open when the work began. */
	private volatile @Nullable Object outerTransaction;

	/** The transaction that keeps other holders from the locks until it has ended. */
	private @Nullable Object heldBy;

	private volatile boolean withinTransaction;

	private State state = State.IDLE;

	private boolean watched;

	private boolean requestEnded;

	private boolean released;

	/** The number of inner calls that have joined the leases and have not ended. */
	private int joined;

	/** Whether the leases are to be released when the last inner call has ended. */
	private boolean awaitsJoined;

	/**
	 * Creates held leases.
	 * @param method the method that runs under them
	 * @param leases the leases, in the order of their acquisition
	 * @param lease the lease of the first annotation
	 * @param untilResponse whether they are held until the request has ended
	 */
	public HeldLeases(Method method, List<Lease> leases, @Nullable Lease lease, boolean untilResponse) {
		this(method, leases, lease, untilResponse, null, null);
	}

	private HeldLeases(Method method, List<Lease> leases, @Nullable Lease lease, boolean untilResponse,
			@Nullable SharedCall sharing, @Nullable Outcome outcome) {
		this.method = method;
		this.leases = List.copyOf(leases);
		this.lease = lease;
		this.untilResponse = untilResponse;
		this.sharing = sharing;
		this.outcome = outcome;
	}

	/**
	 * Returns held leases for an outcome: with its lease, and a result to share; or
	 * without a lease, and with the result of another call.
	 */
	public static HeldLeases of(Method method, Outcome outcome, SharedCall sharing, boolean untilResponse) {
		Lease lease = outcome.lease();
		return (lease != null) ? new HeldLeases(method, List.of(lease), lease, untilResponse, sharing, null)
				: new HeldLeases(method, List.of(), null, untilResponse, null, outcome);
	}

	/** Returns no leases, for a call that is skipped. */
	public static HeldLeases ofSkippedCall(Method method) {
		return new HeldLeases(method, List.of(), null, false, null, new Outcome(null, null));
	}

	/** Returns whether the call is skipped, and has neither leases nor a result. */
	public boolean isSkipped() {
		return this.outcome != null && this.outcome.result() == null;
	}

	/** Returns the result of the other call. */
	public @Nullable SharedResult result() {
		return (this.outcome != null) ? this.outcome.result() : null;
	}

	/** Returns whether the result of the work may be shared. */
	public boolean mayShare() {
		return this.sharing != null;
	}

	/**
	 * Sets the source of the status and headers of the response.
	 * @param response returns them, at the latest when the work ends; {@code null} if the
	 * handler has written the response itself
	 */
	public void respondBy(Supplier<@Nullable ResponseHead> response) {
		this.response = response;
	}

	/**
	 * Returns whether the answer to the request may be kept for later duplicates, instead
	 * of a value: the leases have to be notified of the end of the request.
	 */
	public boolean mayAwaitAnswer() {
		return this.sharing != null && this.lease != null && this.sharing.results().keepsAnswers();
	}

	/** Marks that the answer will be known at the end of the request. */
	public synchronized void expectAnswer() {
		this.answered = true;
	}

	/** Returns whether the leases are held until the answer is known. */
	synchronized boolean awaitsAnswer() {
		return this.awaitsAnswer && !this.released;
	}

	private synchronized void awaitAnswer() {
		this.awaitsAnswer = this.answered;
	}

	/**
	 * Marks that the work failed. If the answer to the failure may be kept, the leases
	 * are held until it is known.
	 */
	public void failed(@Nullable Throwable failure) {
		if (failure != null && mayAwaitAnswer() && this.sharing != null
				&& this.sharing.results().keepsAnswerTo(failure)) {
			this.failed = true;
			awaitAnswer();
		}
	}

	/**
	 * Keeps the answer to the request for later duplicates, if the leases are held for
	 * that.
	 * @return completes when the leases have been released; at once if they are still
	 * needed
	 */
	CompletionStage<Void> answered(Answered answer) {
		if (this.sharing != null && awaitsAnswer()) {
			if (this.failed || answer.isRedirect()) {
				this.result = this.sharing.results().write(this.sharing.caller(), answer);
			}
			else {
				answerLost("It is neither a redirect nor the answer to a failure, but a page");
			}
			if (endWait() && mayRelease()) {
				return releaseAsync();
			}
		}
		return CompletableFuture.completedStage(null);
	}

	/**
	 * Reports that the answer to the request cannot be kept.
	 * @param reason why it would not be the same for other callers
	 */
	void answerLost(String reason) {
		if (this.sharing != null) {
			this.sharing.results().reportLost(reason);
		}
	}

	/**
	 * Records the end of a transaction, of this thread or of reactive work. The last one
	 * counts.
	 * @param committed whether the transaction was committed
	 */
	public void transactionEnded(boolean committed) {
		this.rolledBack = !committed;
	}

	/**
	 * Checks the leases right before work begins: one may have been lost while the call
	 * waited for another lock, for a thread, or for its subscriber.
	 * @throws LeaseLostException if a lease is no longer held
	 */
	void checkBeforeWork() {
		for (Lease each : this.leases) {
			if (!each.isHeld()) {
				this.unused = !this.begun;
				throw lost(each);
			}
		}
		this.begun = true;
	}

	private static LeaseLostException lost(Lease lease) {
		return new LeaseLostException(Objects.requireNonNull(lease.key(),
				"A Lease without a key is not held. If it is a mock, let isHeld() return true"));
	}

	/** Checks the leases, and marks that the work begins, on this thread. */
	void beginOnThread() {
		checkBeforeWork();
		this.outerTransaction = isInTransaction() ? AdviceTransaction.current() : null;
	}

	private static boolean isInTransaction() {
		return TRANSACTIONS_PRESENT && TransactionSynchronizationManager.isActualTransactionActive();
	}

	/** Records that a reactive transaction around the call ends after its work. */
	void withinTransaction() {
		this.withinTransaction = true;
	}

	/** A result that a transaction around the call may still roll back is not shared. */
	private boolean isFinal() {
		return !this.rolledBack && !this.withinTransaction && !isInTransaction();
	}

	/** Keeps the result of the work for other callers, if it is to be shared. */
	void leave(@Nullable Object result) {
		if (this.sharing == null || this.lease == null || !this.lease.isHeld() || !isFinal()) {
			return;
		}
		if (this.sharing.results().sharesAnswersOnly()) {
			awaitAnswer();
			return;
		}
		this.result = write(this.sharing, result);
	}

	private @Nullable String write(SharedCall sharing, @Nullable Object result) {
		ResponseHead response = this.response.get();
		if (response == null) {
			answerLost("The handler has written to the response itself");
			return null;
		}
		return (result instanceof EmittedValues values) ? values.write(sharing.caller(), response)
				: sharing.results().write(sharing.caller(), result, response);
	}

	/**
	 * Checks the leases before a transaction of this thread is committed. Where the store
	 * can join the transaction, no other holder is granted a lock before it has ended.
	 * @param transaction the transaction
	 * @param joined the transaction that the store may join; {@code null} if it may not
	 * @throws LeaseLostException if a lease is no longer held
	 */
	public void checkBeforeCommit(Object transaction, @Nullable Object joined) {
		// A transaction inside of one that has locked the rows would wait for the outer
		// one.
		Object ours = (this.heldBy == null) ? joined : null;
		if (ours != null) {
			this.heldBy = transaction;
		}
		for (Lease each : this.leases) {
			boolean held = (ours != null && each instanceof SharedLease shared) ? shared.holdUntilCommit(ours)
					: each.isHeld();
			if (!held) {
				throw lost(each);
			}
		}
	}

	/**
	 * Records the end of a transaction of this thread. The last one counts.
	 * @param transaction the transaction
	 * @param committed whether it was committed
	 */
	public void transactionEnded(Object transaction, boolean committed) {
		if (this.heldBy == transaction) {
			this.heldBy = null;
			this.leases.stream()
				.filter(SharedLease.class::isInstance)
				.forEach((each) -> ((SharedLease) each).transactionEnded());
		}
		transactionEnded(committed);
	}

	/** Returns whether the result can be kept for later duplicates in a transaction. */
	public boolean mayKeepInTransaction() {
		return this.sharing != null && this.sharing.results().replays() && this.lease instanceof SharedLease shared
				&& shared.joinsTransactions() && !this.sharing.results().sharesAnswersOnly();
	}

	/** Returns whether the transaction of an advice began after the lock was acquired. */
	public boolean contain(Object transaction) {
		return transaction != this.outerTransaction;
	}

	/**
	 * Keeps the result for later duplicates if a transaction of this thread is committed,
	 * where the store can join it.
	 * @param transaction the transaction, as its transaction manager knows it
	 * @throws io.github.lockstarter.LockStoreException if it cannot be kept
	 */
	public void keepInTransaction(@Nullable Object result, Object transaction) {
		if (this.sharing != null && this.lease instanceof SharedLease shared) {
			String text = write(this.sharing, result);
			if (text != null) {
				shared.keepInTransaction(text, transaction);
			}
		}
	}

	/** Returns a collector for the values of the work, if they are to be shared. */
	@Nullable EmittedValues values() {
		return (this.sharing != null) ? this.sharing.results().values() : null;
	}

	/**
	 * Marks that the first of several values is emitted: it is written at once, so the
	 * handler can no longer change the status and headers.
	 */
	void beginEmission() {
		@Nullable ResponseHead response = this.response.get();
		this.response = () -> response;
	}

	/** Keeps the collected values for other callers. */
	void leave(EmittedValues results) {
		if (this.sharing != null && isFinal()) {
			this.result = write(this.sharing, results);
		}
	}

	/**
	 * Joins the lease on a lock for an inner call. The leases are not released before
	 * that call has ended.
	 * @param key the lock that the inner call needs
	 * @return the joined lease; {@code null} if there is no lease on the lock, or it has
	 * been released
	 * @throws LeaseLostException if the lease was lost
	 */
	public @Nullable Lease join(LockKey key) {
		Lease lease = find(key);
		if (lease == null || !join()) {
			return null;
		}
		if (!lease.isHeld()) {
			leave();
			throw new LeaseLostException(key);
		}
		return new JoinedLease(this, lease);
	}

	private @Nullable Lease find(LockKey key) {
		for (Lease lease : this.leases) {
			if (lease.key().equals(key)) {
				return lease;
			}
		}
		return null;
	}

	private synchronized boolean join() {
		if (this.released) {
			return false;
		}
		this.joined++;
		return true;
	}

	/** Returns whether there is a lease on the lock that has not been released. */
	public synchronized boolean hold(LockKey key) {
		return !this.released && find(key) != null;
	}

	/** Marks that an inner call has ended. */
	CompletionStage<Void> leave() {
		return (leaveJoined() && mayRelease()) ? releaseAsync() : CompletableFuture.completedStage(null);
	}

	private synchronized boolean leaveJoined() {
		this.joined--;
		return this.awaitsJoined && this.joined == 0;
	}

	/** Returns the method that runs under the leases. */
	public Method method() {
		return this.method;
	}

	public List<Lease> leases() {
		return this.leases;
	}

	/** Returns the lease for the parameters of the method, if there is any. */
	public @Nullable Lease lease() {
		return this.lease;
	}

	/**
	 * Marks the start of work that continues after the method has returned.
	 * @return {@code false} if it must not begin, since the leases have been released
	 */
	public synchronized boolean begin() {
		if (this.state == State.IDLE && !this.released) {
			this.state = State.WORKING;
		}
		return this.state == State.WORKING;
	}

	/**
	 * Marks the end of the work.
	 * @return completes when the leases have been released; at once if they are still
	 * needed
	 */
	public CompletionStage<Void> end() {
		return (endWork() && mayRelease()) ? releaseAsync() : CompletableFuture.completedStage(null);
	}

	/**
	 * Marks that the work ends with a result that stands for more work, so that its own
	 * end does not release the leases.
	 */
	synchronized void passOn() {
		this.state = State.PASSED_ON;
	}

	/** Marks the end like {@link #end()}, and waits for the release. Never throws. */
	public void close() {
		if (endWork() && mayRelease()) {
			for (int i = this.leases.size() - 1; i >= 0; i--) {
				close(this.leases.get(i));
			}
		}
	}

	private void close(Lease lease) {
		String result = this.result;
		if (result != null && lease instanceof SharedLease shared) {
			shared.close(result);
			return;
		}
		if (this.unused && lease instanceof SharedLease shared) {
			shared.releaseUnused();
		}
		lease.close();
	}

	/** Marks that {@link #requestEnded()} will be called. */
	synchronized void watch() {
		this.watched = true;
	}

	synchronized boolean isWatched() {
		return this.watched;
	}

	/** Marks the end of the request; only work under way still needs the leases. */
	public void requestEnded() {
		if (endRequest() && mayRelease()) {
			releaseAsync();
		}
	}

	/**
	 * Releases the leases before any work has begun under them.
	 * @return completes when they have been released
	 */
	public CompletionStage<Void> abandon() {
		this.unused = true;
		return mayRelease() ? releaseAsync() : CompletableFuture.completedStage(null);
	}

	private synchronized boolean endWork() {
		if (this.state == State.PASSED_ON && !this.requestEnded) {
			this.state = State.IDLE;
			return false;
		}
		this.state = State.DONE;
		return (!this.untilResponse && !this.awaitsAnswer) || this.requestEnded;
	}

	private synchronized boolean endWait() {
		this.awaitsAnswer = false;
		return !this.untilResponse || this.requestEnded;
	}

	private synchronized boolean endRequest() {
		this.requestEnded = true;
		return this.state != State.WORKING;
	}

	/** Returns {@code true} the first time, when all inner calls have ended. */
	private synchronized boolean mayRelease() {
		if (this.joined > 0) {
			this.awaitsJoined = true;
			return false;
		}
		boolean first = !this.released;
		this.released = true;
		return first;
	}

	private CompletionStage<Void> releaseAsync() {
		if (this.leases.size() == 1) {
			return releaseAsync(this.leases.get(0));
		}
		CompletableFuture<?>[] releases = new CompletableFuture<?>[this.leases.size()];
		for (int i = releases.length - 1; i >= 0; i--) {
			releases[i] = releaseAsync(this.leases.get(i)).toCompletableFuture();
		}
		return CompletableFuture.allOf(releases);
	}

	private CompletionStage<Void> releaseAsync(Lease lease) {
		if (!(lease instanceof SharedLease shared)) {
			return lease.releaseAsync();
		}
		String result = this.result;
		return (result != null) ? shared.releaseAsync(result)
				: this.unused ? shared.releaseUnused() : shared.releaseAsync();
	}

	private enum State {

		/** No work is known that continues after the method. */
		IDLE,

		/** Work is under way outside of the method. */
		WORKING,

		/** Work is about to end, with a result that stands for more work. */
		PASSED_ON,

		DONE

	}

	/** A class of its own, because its exception class is loaded with it. */
	private static final class AdviceTransaction {

		private AdviceTransaction() {
		}

		static @Nullable Object current() {
			try {
				return TransactionAspectSupport.currentTransactionStatus();
			}
			catch (NoTransactionException ex) {
				return null;
			}
		}

	}

}
