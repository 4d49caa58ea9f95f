package io.github.lockstarter.completion;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.registry.sharing.SharedLease;
import io.github.lockstarter.result.EmittedValues;
import io.github.lockstarter.result.Outcome;
import io.github.lockstarter.result.ResultSharing;
import io.github.lockstarter.result.SharedCall;
import io.github.lockstarter.result.SharedResult;
import io.github.lockstarter.result.SharedResult.Response;

/**
 * The result of one call: what it received from another call instead of running, or what
 * it keeps for other calls.
 */
public final class CallResult {

	/** Of a call that neither receives nor keeps a result. */
	static final CallResult NONE = new CallResult(null, null, null);

	/** Of a call that is skipped. */
	static final CallResult SKIPPED = new CallResult(null, null, new Outcome(null, null));

	/** How the result of the work is shared; {@code null} if it is not. */
	private final @Nullable SharedCall sharing;

	private final @Nullable SharedLease lease;

	private final @Nullable Outcome received;

	/** The result to store for other callers at the release. */
	private volatile @Nullable String kept;

	/** How a web framework responds to the request of the call. */
	private volatile @Nullable CallResponse response;

	/** The value with which the work has ended, until the response is known. */
	private volatile @Nullable Object value;

	private volatile boolean failed;

	/** The result of a transaction that has not ended. */
	private volatile @Nullable InTransaction inTransaction;

	/** Whether the commit of that transaction has begun. */
	private boolean committing;

	private boolean cancelled;

	/** The result that a transaction has kept. */
	private volatile @Nullable InTransaction committed;

	/** The status that the handler has set. */
	private volatile @Nullable Integer status;

	private CallResult(@Nullable SharedCall sharing, @Nullable SharedLease lease, @Nullable Outcome received) {
		this.sharing = sharing;
		this.lease = lease;
		this.received = received;
	}

	/**
	 * Returns the result for an outcome: to keep under its lease, or received from
	 * another call.
	 */
	static CallResult of(Outcome outcome, SharedCall sharing) {
		return (outcome.lease() != null) ? new CallResult(sharing, outcome.lease(), null)
				: new CallResult(null, null, outcome);
	}

	/** Returns whether the call is skipped, and has neither leases nor a result. */
	public boolean isSkipped() {
		return this.received != null && this.received.result() == null;
	}

	/** Returns the result of the other call. */
	public @Nullable SharedResult received() {
		return (this.received != null) ? this.received.result() : null;
	}

	/** Returns whether the result of the work may be kept for others. */
	public boolean mayKeep() {
		return this.sharing != null;
	}

	/** Returns whether the response to a request is kept, if there is one. */
	private boolean mayKeepResponse() {
		return this.sharing != null && this.sharing.results().sharesResponses();
	}

	/**
	 * Lets the response to the request be kept instead of the value, if one may be kept.
	 * @return whether it may be kept, so that the leases have to be notified of the
	 * response, and of the end of the request
	 */
	public boolean expectResponse(CallResponse response) {
		boolean expected = mayKeepResponse() && response.notifiesOfResponse();
		if (expected) {
			this.response = response;
		}
		return expected;
	}

	/** Returns whether the response may still have to be kept. */
	boolean expectsResponse() {
		return this.response != null && this.kept == null;
	}

	/**
	 * Marks that the work failed.
	 * @return whether the response to the failure is to be kept
	 */
	boolean failed(Throwable failure) {
		if (!mayKeepResponse() || this.sharing == null || !this.sharing.results().keepsResponseTo(failure)) {
			return false;
		}
		this.failed = true;
		return true;
	}

	/**
	 * Marks that the work was cancelled, and that there is no result if each end of the
	 * work is kept. If a commit has begun, its outcome decides.
	 */
	synchronized void cancelled() {
		this.cancelled = true;
		if (!this.committing) {
			keepDespiteCancellation();
		}
	}

	private void keepDespiteCancellation() {
		InTransaction committed = this.committed;
		if (committed != null) {
			this.value = committed.value;
			keepWithoutResponse("The client has disconnected before its response was known");
		}
		else if (this.sharing != null && this.kept == null && this.sharing.results().keepsAll()) {
			this.kept = writeLost("The client has disconnected before the work ended");
		}
	}

	/**
	 * Marks that the work ended with a value. If the response was made in its
	 * transaction, it is kept.
	 * @param value the value, or {@link EmittedValues}
	 */
	void ended(@Nullable Object value) {
		this.failed = false;
		this.value = value;
		InTransaction committed = this.committed;
		if (this.response != null && committed != null && committed.isSent && committed.value == value) {
			this.kept = committed.text;
		}
		else {
			noteStatus();
		}
	}

	/** Notes the status that the handler has set until now, if it is known. */
	void noteStatus() {
		CallResponse response = this.response;
		Integer status = (response != null) ? response.status() : null;
		if (status != null) {
			this.status = status;
		}
	}

	/**
	 * Does not keep the value with which the work ended.
	 * @param reason why a duplicate may run
	 */
	void drop(String reason) {
		if (this.sharing != null) {
			this.sharing.results().reportDropped(reason);
		}
	}

	/** Keeps the response to the request. */
	void keepResponse(Response response) {
		if (this.sharing == null) {
			return;
		}
		ResultSharing results = this.sharing.results();
		Object value = (this.failed || this.value instanceof EmittedValues) ? null : this.value;
		this.kept = results.writeResponse(this.sharing.caller(), response, value);
		if (this.kept == null && !this.failed && isFailure(response) && results.isShared(value, this.status)) {
			keepWithoutResponse("The work ended, but the response to it failed");
		}
	}

	/**
	 * Returns whether the response is not the one that the handler has chosen: the value
	 * could not be written, or the client does not accept it.
	 */
	private static boolean isFailure(Response response) {
		return response.status() >= 500 || response.status() == 406 || response.body() == null;
	}

	/** Returns whether later duplicates get the result. */
	boolean replays() {
		return this.sharing != null && this.sharing.results().replays();
	}

	/** Returns whether chosen statuses are kept, whatever the work has done. */
	boolean keepsChosenStatuses() {
		return this.sharing != null && this.sharing.results().keepsStatuses();
	}

	/**
	 * Keeps the value with which the work ended, because the response is not known; after
	 * a failure, that there is no result.
	 * @param reason why it is not known
	 */
	void keepWithoutResponse(String reason) {
		if (this.sharing == null || this.kept != null) {
			return;
		}
		Object value = this.value;
		InTransaction committed = this.committed;
		if (this.response != null && committed != null && committed.isKnown) {
			this.kept = committed.text;
		}
		else if (value instanceof EmittedValues values) {
			this.kept = (this.response == null) ? values.write(this.sharing.caller()) : writeLost(reason);
		}
		else {
			this.kept = this.failed ? writeLost(reason)
					: this.sharing.results().writeValue(this.sharing.caller(), value, this.status);
		}
	}

	/**
	 * Marks that the response cannot be kept, because it is not the same for other
	 * callers. One that is not to be kept has no effect.
	 */
	void responseLost(String reason, int status) {
		if (this.sharing != null && this.sharing.results().selects(this.failed ? null : this.value, status)) {
			this.kept = writeLost(reason);
		}
	}

	private @Nullable String writeLost(String reason) {
		return (this.sharing != null) ? this.sharing.results().writeLost(this.sharing.caller(), reason) : null;
	}

	/**
	 * Returns a collector for the values of the work, which collects none if the response
	 * is to be kept; {@code null} if nothing is to be kept.
	 */
	public @Nullable EmittedValues values() {
		return (this.sharing != null) ? this.sharing.results().values(this.response == null) : null;
	}

	/** Returns the kept result, which the release stores. */
	@Nullable String kept() {
		return this.kept;
	}

	/** Returns whether the result can be kept for later duplicates in a transaction. */
	public boolean mayKeepInTransaction() {
		return this.sharing != null && this.sharing.results().replays() && this.lease != null
				&& this.lease.joinsTransactions();
	}

	/**
	 * Keeps the result for later duplicates if a transaction of this thread is committed,
	 * where the store can join it. The response is made in the transaction, and is then
	 * the one that is sent. If it cannot be made yet, duplicates are rejected from the
	 * commit on, until it is known.
	 * @param value the value with which the work ended
	 * @param transaction the transaction, as its transaction manager knows it
	 * @throws io.github.lockstarter.LockStoreException if it cannot be kept
	 */
	public void keepInTransaction(@Nullable Object value, Object transaction) {
		if (this.sharing == null || this.lease == null) {
			return;
		}
		CallResponse response = this.response;
		Response made = (response != null) ? response.make(value) : null;
		String text = text(value, made, this.sharing);
		if (text != null) {
			this.lease.keepInTransaction(text, transaction);
			this.inTransaction = new InTransaction(Set.of(transaction), value, text, made != null, made != null);
		}
	}

	/**
	 * Returns whether the result can be kept for later duplicates in a reactive
	 * transaction.
	 */
	public boolean mayKeepInReactiveTransaction() {
		return this.sharing != null && this.sharing.results().replays() && this.lease != null
				&& this.lease.joinsReactiveTransactions();
	}

	/**
	 * Lets the commit of the reactive transaction around the work keep the result for
	 * later duplicates, like {@link #keepInTransaction}.
	 * @param value the value with which the work ended, or {@link EmittedValues}
	 * @param resources the resources of the transaction, by which it is known
	 * @return completes when the result is ready for the commit
	 */
	public CompletionStage<Void> keepAtCommit(@Nullable Object value, Set<Object> resources) {
		SharedCall sharing = this.sharing;
		CallResponse response = this.response;
		if (sharing == null) {
			return CompletableFuture.completedStage(null);
		}
		if (!mayKeepInReactiveTransaction()) {
			this.inTransaction = new InTransaction(resources, value, null, false, false);
			return CompletableFuture.completedStage(null);
		}
		CompletionStage<@Nullable Response> made = (response != null && !(value instanceof EmittedValues))
				? response.makeLater(value) : CompletableFuture.completedStage(null);
		return made.thenAccept((known) -> {
			String text = text(value, known, sharing);
			this.inTransaction = new InTransaction(resources, value, text, known != null, false);
		});
	}

	/**
	 * Returns the result that the commit of a reactive transaction keeps; {@code null} if
	 * there is none.
	 * @param resource the connection of the transaction
	 */
	@Nullable String atCommit(Object resource) {
		InTransaction result = this.inTransaction;
		return (result != null && result.of.contains(resource)) ? result.text : null;
	}

	/**
	 * Marks that the commit of a transaction begins. It goes on if the work is cancelled.
	 * @param transaction what it is known by
	 */
	public synchronized void commitBegins(Object transaction) {
		InTransaction result = this.inTransaction;
		this.committing = result != null && result.of.contains(transaction);
	}

	/** Marks that the commit has ended, also if its outcome is not known. */
	synchronized void commitEnded() {
		if (this.committing) {
			this.committing = false;
			if (this.cancelled) {
				keepDespiteCancellation();
			}
		}
	}

	/**
	 * Marks that a transaction has ended, and no later commit keeps its result.
	 * @param transaction what it is known by: the transaction of a thread, or the
	 * connection of a reactive one
	 */
	public synchronized void transactionEnded(Object transaction, TransactionEnd end) {
		InTransaction result = this.inTransaction;
		if (result == null || !result.of.contains(transaction)) {
			return;
		}
		this.inTransaction = null;
		this.committing = false;
		this.committed = (end == TransactionEnd.COMMITTED) ? result : this.committed;
		if (this.cancelled) {
			keepDespiteCancellation();
		}
	}

	/**
	 * Returns the text of a result that a transaction keeps.
	 * @param made the response that was made of the value; {@code null} if it is not
	 * known yet
	 */
	private @Nullable String text(@Nullable Object value, @Nullable Response made, SharedCall sharing) {
		return (made != null) ? sharing.results().writeResponse(sharing.caller(), made, value)
				: (this.response != null) ? sharing.results().writePending(sharing.caller())
						: (value instanceof EmittedValues values) ? values.write(sharing.caller())
								: sharing.results().writeValue(sharing.caller(), value, null);
	}

	/**
	 * A result of work that is done in a transaction.
	 *
	 * @param of what the transaction is known by
	 * @param value the value with which the work ended
	 * @param text what the transaction stores; {@code null} if it stores nothing
	 * @param isKnown whether it is the result, and not the mark that it is not known yet
	 * @param isSent whether it is the response that is sent
	 */
	private record InTransaction(Set<Object> of, @Nullable Object value, @Nullable String text, boolean isKnown,
			boolean isSent) {
	}

}
