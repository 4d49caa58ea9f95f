package io.github.lockstarter.completion;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.registry.request.SharedLease;
import io.github.lockstarter.result.EmittedValues;
import io.github.lockstarter.result.Outcome;
import io.github.lockstarter.result.ResponseHead;
import io.github.lockstarter.result.SharedCall;
import io.github.lockstarter.result.SharedResult;
import io.github.lockstarter.result.SharedResult.Answered;

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

	/**
	 * Returns the status and headers that the handler has set; empty without a response.
	 */
	private volatile Supplier<@Nullable ResponseHead> response = () -> ResponseHead.EMPTY;

	/** Whether the response is known at the end of the request. */
	private volatile boolean expectsResponse;

	private volatile boolean failed;

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

	/**
	 * Sets the source of the status and headers of the response.
	 * @param response returns them, at the latest when the work ends; {@code null} if the
	 * handler has written the response itself
	 */
	public void respondBy(Supplier<@Nullable ResponseHead> response) {
		this.response = response;
	}

	/**
	 * Returns whether the response to the request may be kept for later duplicates,
	 * instead of a value: the leases have to be notified of the end of the request.
	 */
	public boolean mayKeepResponse() {
		return this.sharing != null && this.sharing.results().keepsAnswers();
	}

	/** Marks that the response will be known at the end of the request. */
	public void expectResponse() {
		this.expectsResponse = true;
	}

	/**
	 * Marks that the work failed.
	 * @return whether the response to the failure is to be kept
	 */
	boolean failed(Throwable failure) {
		if (this.sharing == null || !mayKeepResponse() || !this.sharing.results().keepsAnswerTo(failure)) {
			return false;
		}
		this.failed = true;
		return this.expectsResponse;
	}

	/**
	 * Returns whether the returned value does not determine the response, which is to be
	 * kept.
	 */
	boolean awaitsResponse() {
		return this.expectsResponse && sharesResponsesOnly();
	}

	private boolean sharesResponsesOnly() {
		return this.sharing != null && this.sharing.results().sharesAnswersOnly();
	}

	/** Keeps the response to the request. */
	void keepResponse(Answered response) {
		if (this.sharing == null) {
			return;
		}
		if (this.failed || response.isRedirect()) {
			this.kept = this.sharing.results().write(this.sharing.caller(), response);
		}
		else {
			reportLost("It is neither a redirect nor the answer to a failure, but a page");
		}
	}

	/** Keeps the value with which the work has ended. */
	void keep(@Nullable Object value) {
		if (this.sharing != null && !sharesResponsesOnly()) {
			this.kept = write(this.sharing, value);
		}
	}

	/** Returns a collector for the values of the work, if they are to be kept. */
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

	private @Nullable String write(SharedCall sharing, @Nullable Object value) {
		ResponseHead response = this.response.get();
		if (response == null) {
			reportLost("The handler has written to the response itself");
			return null;
		}
		return (value instanceof EmittedValues values) ? values.write(sharing.caller(), response)
				: sharing.results().write(sharing.caller(), value, response);
	}

	/**
	 * Reports that the response cannot be kept.
	 * @param reason why it would not be the same for other callers
	 */
	void reportLost(String reason) {
		if (this.sharing != null) {
			this.sharing.results().reportLost(reason);
		}
	}

	/** Returns the kept result, which the release stores. */
	@Nullable String kept() {
		return this.kept;
	}

	/** Returns whether the value can be kept for later duplicates in a transaction. */
	public boolean mayKeepInTransaction() {
		return this.sharing != null && this.sharing.results().replays() && !sharesResponsesOnly() && this.lease != null
				&& this.lease.joinsTransactions();
	}

	/**
	 * Keeps the value for later duplicates if a transaction of this thread is committed,
	 * where the store can join it.
	 * @param transaction the transaction, as its transaction manager knows it
	 * @throws io.github.lockstarter.LockStoreException if it cannot be kept
	 */
	public void keepInTransaction(@Nullable Object value, Object transaction) {
		if (this.sharing != null && this.lease != null) {
			String text = write(this.sharing, value);
			if (text != null) {
				this.lease.keepInTransaction(text, transaction);
			}
		}
	}

}
