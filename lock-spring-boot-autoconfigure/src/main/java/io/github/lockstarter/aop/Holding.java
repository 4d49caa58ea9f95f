package io.github.lockstarter.aop;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.Lease;
import io.github.lockstarter.share.EmittedValues;
import io.github.lockstarter.share.Outcome;
import io.github.lockstarter.share.SharedLease;

/**
 * The leases under which one call of an annotated method runs. They are released
 * together, the last one first, when the work of the call has ended: be it with the
 * method, or later. Where the response is to be covered as well, or the work has not even
 * begun, the end of the request counts, too.
 */
final class Holding {

	/** The header that tells clients of a result of another call. */
	static final String REPLAYED = "Idempotent-Replayed";

	/** The name of the attribute that tells to set it when a request is dispatched. */
	static final String REPLAYED_ATTRIBUTE = Holding.class.getName() + ".replayed";

	private final List<Lease> leases;

	private final @Nullable Lease lease;

	private final boolean untilResponse;

	private final Sharing.@Nullable OfCall sharing;

	private final @Nullable Outcome outcome;

	/** What is left to others at the release. */
	private volatile @Nullable String result;

	private volatile boolean rolledBack;

	private volatile boolean withinTransaction;

	private State state = State.IDLE;

	private boolean watched;

	private boolean requestEnded;

	private boolean released;

	/**
	 * Creates a holding.
	 * @param leases the leases, in the order they were acquired
	 * @param lease the one of the first annotation
	 * @param untilResponse whether they are held until the request has ended
	 */
	Holding(List<Lease> leases, @Nullable Lease lease, boolean untilResponse) {
		this(leases, lease, untilResponse, null, null);
	}

	private Holding(List<Lease> leases, @Nullable Lease lease, boolean untilResponse, Sharing.@Nullable OfCall sharing,
			@Nullable Outcome outcome) {
		this.leases = List.copyOf(leases);
		this.lease = lease;
		this.untilResponse = untilResponse;
		this.sharing = sharing;
		this.outcome = outcome;
	}

	/**
	 * Returns a holding of the lease, whose result others are to get, or one of nothing,
	 * with the result of another call.
	 */
	static Holding of(Outcome outcome, Sharing.OfCall sharing, boolean untilResponse) {
		Lease lease = outcome.lease();
		return (lease != null) ? new Holding(List.of(lease), lease, untilResponse, sharing, null)
				: new Holding(List.of(), null, untilResponse, null, outcome);
	}

	/** Returns whether another call has done the work already. */
	boolean hasResult() {
		return this.outcome != null;
	}

	/** Returns the result of the other call. */
	@Nullable Object result() {
		return (this.outcome != null) ? this.outcome.result() : null;
	}

	/**
	 * The last transaction of this thread, or of the reactive work, has ended.
	 * @param committed whether what was done under the leases is there to stay
	 */
	void transactionEnded(boolean committed) {
		this.rolledBack = !committed;
	}

	/** A reactive transaction around the call goes on after its work. */
	void withinTransaction() {
		this.withinTransaction = true;
	}

	/** What a transaction around the call may still undo is not told to others. */
	private boolean isFinal() {
		return !this.rolledBack && !this.withinTransaction && !(Present.TRANSACTIONS && CommitGuard.isInTransaction());
	}

	/** Leaves the result of the work to others, if it is to be shared. */
	void leave(@Nullable Object result) {
		if (this.sharing != null && this.lease != null && this.lease.isHeld() && isFinal()) {
			this.result = this.sharing.results().write(this.sharing.caller(), result);
		}
	}

	/** Returns what takes the results of the work, if they are to be shared. */
	@Nullable EmittedValues values() {
		return (this.sharing != null) ? this.sharing.results().values() : null;
	}

	/** Leaves them to others. */
	void leave(EmittedValues results) {
		if (this.sharing != null && isFinal()) {
			this.result = results.write(this.sharing.caller());
		}
	}

	List<Lease> leases() {
		return this.leases;
	}

	/** Returns the lease to show to the method, if there is any. */
	@Nullable Lease lease() {
		return this.lease;
	}

	/**
	 * Work begins that goes on after the method has returned, and perhaps after the
	 * request.
	 * @return {@code false} if it must not begin, since the leases have been released
	 */
	synchronized boolean begin() {
		if (this.state == State.IDLE && !this.released) {
			this.state = State.WORKING;
		}
		return this.state == State.WORKING;
	}

	/**
	 * The work has ended.
	 * @return completes when the leases have been released; at once where something is
	 * still to come
	 */
	CompletionStage<Void> end() {
		return (endWork() && mayRelease()) ? releaseAsync() : CompletableFuture.completedStage(null);
	}

	/**
	 * What did the work hands on a result in which there is more work: its own end is not
	 * the last.
	 */
	synchronized void passOn() {
		this.state = State.PASSED_ON;
	}

	/** Does the same as {@link #end()}, and waits for it. Never throws. */
	void close() {
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
		}
		else {
			lease.close();
		}
	}

	/** Somebody will tell the end of the request. */
	synchronized void watch() {
		this.watched = true;
	}

	synchronized boolean isWatched() {
		return this.watched;
	}

	/** The request has ended; only work that is under way still needs the leases. */
	void requestEnded() {
		if (endRequest() && mayRelease()) {
			releaseAsync();
		}
	}

	/** Nobody will work under the leases. */
	void abandon() {
		if (mayRelease()) {
			releaseAsync();
		}
	}

	private synchronized boolean endWork() {
		if (this.state == State.PASSED_ON && !this.requestEnded) {
			this.state = State.IDLE;
			return false;
		}
		this.state = State.DONE;
		return !this.untilResponse || this.requestEnded;
	}

	private synchronized boolean endRequest() {
		this.requestEnded = true;
		return this.state != State.WORKING;
	}

	/** Returns {@code true} the first time. */
	private synchronized boolean mayRelease() {
		boolean first = !this.released;
		this.released = true;
		return first;
	}

	private CompletionStage<Void> releaseAsync() {
		CompletableFuture<?>[] releases = new CompletableFuture<?>[this.leases.size()];
		for (int i = releases.length - 1; i >= 0; i--) {
			releases[i] = releaseAsync(this.leases.get(i)).toCompletableFuture();
		}
		return CompletableFuture.allOf(releases);
	}

	private CompletionStage<Void> releaseAsync(Lease lease) {
		String result = this.result;
		return (result != null && lease instanceof SharedLease shared) ? shared.releaseAsync(result)
				: lease.releaseAsync();
	}

	private enum State {

		/** The method may have returned, but nothing tells that its work goes on. */
		IDLE,

		/** Something other than the method works. */
		WORKING,

		/** What works is about to end, but is not the last. */
		PASSED_ON,

		DONE

	}

}
