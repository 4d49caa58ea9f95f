package io.github.lockstarter.completion;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.Lease;
import io.github.lockstarter.LeaseLostException;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.registry.sharing.SharedLease;
import io.github.lockstarter.result.EmittedValues;
import io.github.lockstarter.result.Outcome;
import io.github.lockstarter.result.SharedCall;
import io.github.lockstarter.result.SharedResult.Response;
import io.github.lockstarter.store.ReactiveTransaction;

/**
 * The leases of one call of an annotated method, or of work in code. They are released
 * together, in reverse order, when the work of the call has ended: with the method, or
 * later. If the response is covered as well, or the work has not begun, they are released
 * at the end of the request at the earliest.
 */
public final class HeldLeases {

	/** The method that runs under the leases; {@code null} for work in code. */
	private final @Nullable Method method;

	private final List<Lease> leases;

	private final @Nullable Lease lease;

	private final ReleaseGate gate;

	private final CallResult result;

	private final CallTransactions transactions;

	private volatile boolean begun;

	/** Whether the work never began. */
	private volatile boolean unused;

	private volatile boolean watched;

	/**
	 * Creates held leases.
	 * @param method the method that runs under them
	 * @param leases the leases, in the order of their acquisition
	 * @param lease the lease of the first annotation
	 * @param releaseOn what ends them
	 */
	public HeldLeases(Method method, List<Lease> leases, @Nullable Lease lease, ReleaseOn releaseOn) {
		this(method, leases, lease, releaseOn, CallResult.NONE);
	}

	private HeldLeases(@Nullable Method method, List<Lease> leases, @Nullable Lease lease, ReleaseOn releaseOn,
			CallResult result) {
		this.method = method;
		this.leases = List.copyOf(leases);
		this.lease = lease;
		this.gate = new ReleaseGate(releaseOn);
		this.result = result;
		this.transactions = new CallTransactions(this.leases);
	}

	/**
	 * Returns held leases for an outcome: with its lease, and a result to keep; or
	 * without a lease, and with the result of another call.
	 * @param method the method that runs under them; {@code null} for work in code
	 */
	public static HeldLeases of(@Nullable Method method, Outcome outcome, SharedCall sharing, ReleaseOn releaseOn) {
		CallResult result = CallResult.of(outcome, sharing);
		Lease lease = outcome.lease();
		return (lease != null) ? new HeldLeases(method, List.of(lease), lease, releaseOn, result)
				: new HeldLeases(method, List.of(), null, releaseOn, result);
	}

	/** Returns no leases, for a call that is skipped. */
	public static HeldLeases ofSkippedCall(Method method) {
		return new HeldLeases(method, List.of(), null, ReleaseOn.METHOD, CallResult.SKIPPED);
	}

	/** Returns the method that runs under the leases; {@code null} for work in code. */
	public @Nullable Method method() {
		return this.method;
	}

	public List<Lease> leases() {
		return this.leases;
	}

	/** Returns the lease for the parameters of the method, if there is any. */
	public @Nullable Lease lease() {
		return this.lease;
	}

	/** Returns the result of the call. */
	public CallResult result() {
		return this.result;
	}

	/** Returns the transactions of the call. */
	public CallTransactions transactions() {
		return this.transactions;
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

	static LeaseLostException lost(Lease lease) {
		return new LeaseLostException(Objects.requireNonNull(lease.key(),
				"A Lease without a key is not held. If it is a mock, let isHeld() return true"));
	}

	/**
	 * Checks a lease before a reactive transaction is committed. Where the store can join
	 * the transaction, no other holder is granted the lock before it has ended, and the
	 * result of the work is kept in it.
	 * @param resource what the transaction is known by
	 * @param connection the connection of the transaction
	 * @param isolation the isolation level that the application has asked for;
	 * {@code null} for the default
	 * @return completes with {@code false} if the lease is no longer held
	 */
	public CompletionStage<Boolean> holdUntilCommit(Lease lease, Object resource, Object connection,
			@Nullable Integer isolation) {
		// A transaction that began before the lock was acquired may not see its row.
		return (this.transactions.containReactive(resource) && lease instanceof SharedLease shared)
				? shared.holdUntilCommit(new ReactiveTransaction(connection, isolation), this.result.atCommit(resource))
				: CompletableFuture.completedStage(lease.isHeld());
	}

	/**
	 * Keeps the leases until the commit of a reactive transaction has ended, which goes
	 * on if the work is cancelled.
	 * @param resource what the transaction is known by
	 * @return {@code false} if they have been released
	 */
	public boolean beginCommit(Object resource) {
		this.result.commitBegins(resource);
		return this.gate.join();
	}

	/** Marks that a commit has ended, after its outcome has been recorded. */
	public void endCommit() {
		this.result.commitEnded();
		leave();
	}

	/** Checks the leases, and marks that the work begins, on this thread. */
	void beginOnThread() {
		checkBeforeWork();
		this.transactions.beginOnThread();
	}

	/**
	 * Marks the start of work that continues after the method has returned.
	 * @return {@code false} if it must not begin, since the leases have been released
	 */
	public boolean begin() {
		return this.gate.beginWork();
	}

	/**
	 * Marks that the work ends with a result that stands for more work, so that its own
	 * end does not release the leases.
	 */
	void passOn() {
		this.gate.passOn();
	}

	/**
	 * Marks that the work failed. If the response to the failure may be kept, the leases
	 * are held until it is known. A failure before the work has begun is not one of the
	 * work.
	 */
	public void failed(@Nullable Throwable failure) {
		if (failure != null && this.begun && this.result.failed(failure)) {
			awaitResponse();
		}
	}

	/**
	 * Marks that the work was cancelled, so that nobody knows how far it had come.
	 */
	void cancelled() {
		if (this.begun) {
			this.result.cancelled();
		}
	}

	/**
	 * Keeps the value of the work for other callers, if that is to be shared. If the
	 * response is to be kept instead, the leases are held until it is known.
	 * @param value the value, or {@link EmittedValues}
	 */
	void leave(@Nullable Object value) {
		if (!this.result.mayKeep() || this.lease == null || !this.lease.isHeld()) {
			return;
		}
		String objection = this.transactions.objection(this.result.keepsChosenStatuses());
		if (objection != null) {
			this.result.drop(objection);
			return;
		}
		this.result.ended(value);
		awaitResponse();
	}

	private void awaitResponse() {
		if (!this.result.expectsResponse() || !this.gate.awaitResponse()) {
			this.result.keepWithoutResponse("The request has ended before its response was known");
		}
	}

	/** Returns whether the leases are held until the response is known. */
	boolean awaitsResponse() {
		return this.gate.awaitsResponse();
	}

	/**
	 * Returns whether the leases are, or may yet be, held until the response is known.
	 */
	boolean mayAwaitResponse() {
		return this.result.expectsResponse() && !this.gate.isOpen();
	}

	/**
	 * Keeps the response to the request for later duplicates, if the leases are held for
	 * that.
	 * @return completes when the leases have been released; at once if they are still
	 * needed
	 */
	CompletionStage<Void> responded(Response response) {
		if (this.gate.awaitsResponse()) {
			this.result.keepResponse(response);
			return releaseIf(this.gate.responseKnown());
		}
		return CompletableFuture.completedStage(null);
	}

	/**
	 * Marks that the response is known, and cannot be kept.
	 * @param reason why it would not be the same for other callers
	 * @param status its status
	 */
	void responseLost(String reason, int status) {
		if (this.gate.awaitsResponse()) {
			this.result.responseLost(reason, status);
		}
	}

	/** Marks that the response is known, and has no body that others could receive. */
	void dropResponse() {
		this.result.drop("The response to a HEAD request has no body");
		giveUpResponse();
	}

	/**
	 * Stops to wait for the response, because the handler is called again and will be
	 * responded to then.
	 */
	void giveUpResponse() {
		releaseIf(this.gate.responseKnown());
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
		if (lease == null || !this.gate.join()) {
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

	/** Returns whether there is a lease on the lock that has not been released. */
	public boolean hold(LockKey key) {
		return find(key) != null && !this.gate.isOpen();
	}

	/** Marks that an inner call has ended. */
	CompletionStage<Void> leave() {
		return releaseIf(this.gate.leave());
	}

	/**
	 * Marks the end of the work.
	 * @return completes when the leases have been released; at once if they are still
	 * needed
	 */
	public CompletionStage<Void> end() {
		return releaseIf(this.gate.endWork());
	}

	/** Marks the end like {@link #end()}, and waits for the release. Never throws. */
	public void close() {
		if (this.gate.endWork()) {
			for (int i = this.leases.size() - 1; i >= 0; i--) {
				close(this.leases.get(i));
			}
		}
	}

	private void close(Lease lease) {
		String kept = this.result.kept();
		if (kept != null && lease instanceof SharedLease shared) {
			shared.close(kept);
			return;
		}
		if (this.unused && lease instanceof SharedLease shared) {
			shared.releaseUnused();
		}
		lease.close();
	}

	/** Marks that {@link #requestEnded()} will be called. */
	void watch() {
		this.watched = true;
	}

	boolean isWatched() {
		return this.watched;
	}

	/** Marks the end of the request; only work under way still needs the leases. */
	public void requestEnded() {
		releaseIf(this.gate.endRequest());
		if (this.gate.awaitsResponse()) {
			this.result.keepWithoutResponse("The request has ended before its response was known");
			releaseIf(this.gate.responseKnown());
		}
	}

	/**
	 * Releases the leases before any work has begun under them.
	 * @return completes when they have been released
	 */
	public CompletionStage<Void> abandon() {
		this.unused = true;
		return releaseIf(this.gate.abandon());
	}

	private CompletionStage<Void> releaseIf(boolean now) {
		if (!now || this.leases.isEmpty()) {
			return CompletableFuture.completedStage(null);
		}
		if (this.leases.size() == 1) {
			return release(this.leases.get(0));
		}
		CompletableFuture<?>[] releases = new CompletableFuture<?>[this.leases.size()];
		for (int i = releases.length - 1; i >= 0; i--) {
			releases[i] = release(this.leases.get(i)).toCompletableFuture();
		}
		return CompletableFuture.allOf(releases);
	}

	private CompletionStage<Void> release(Lease lease) {
		if (!(lease instanceof SharedLease shared)) {
			return lease.releaseAsync();
		}
		String kept = this.result.kept();
		return (kept != null) ? shared.releaseAsync(kept)
				: this.unused ? shared.releaseUnused() : shared.releaseAsync();
	}

}
