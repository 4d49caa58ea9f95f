package io.github.lockstarter.completion;

/**
 * Decides when the leases of a call are released: once, when nothing needs them any
 * longer. The work of the call needs them, and so do inner calls that have joined them. A
 * request whose response is covered needs them until its end, and a response that is kept
 * until it is known. After the end of the request, work that has not begun never begins.
 * <p>
 * Each method that ends a need returns whether the leases are to be released now.
 */
final class ReleaseGate {

	private final ReleaseOn releaseOn;

	private WorkState work = WorkState.AHEAD;

	/** The number of inner calls that have joined the leases and have not ended. */
	private int joined;

	private boolean responseAwaited;

	private boolean requestEnded;

	private boolean abandoned;

	private boolean open;

	/**
	 * Creates a gate.
	 * @param releaseOn what ends the leases
	 */
	ReleaseGate(ReleaseOn releaseOn) {
		this.releaseOn = releaseOn;
	}

	/**
	 * Begins work that continues after the method has returned.
	 * @return {@code false} if it must not begin, since the leases have been released
	 */
	synchronized boolean beginWork() {
		if (this.work == WorkState.AHEAD && !this.open) {
			this.work = WorkState.UNDER_WAY;
		}
		return this.work == WorkState.UNDER_WAY;
	}

	/** The work is about to end with a result that stands for more work. */
	synchronized void passOn() {
		this.work = WorkState.PASSED_ON;
	}

	/** Ends the work, unless it has been passed on: then it is ahead again. */
	synchronized boolean endWork() {
		this.work = (this.work == WorkState.PASSED_ON && !this.requestEnded) ? WorkState.AHEAD : WorkState.ENDED;
		return settle();
	}

	/**
	 * Keeps the leases until the response is known.
	 * @return {@code false} if it will not be known, since the request has ended
	 */
	synchronized boolean awaitResponse() {
		this.responseAwaited = !this.requestEnded && !this.open;
		return this.responseAwaited;
	}

	/** Returns whether the leases are held until the response is known. */
	synchronized boolean awaitsResponse() {
		return this.responseAwaited && !this.open;
	}

	/** Ends the wait for the response. */
	synchronized boolean responseKnown() {
		this.responseAwaited = false;
		return settle();
	}

	/** Ends the request, which may happen while work is under way. */
	synchronized boolean endRequest() {
		this.requestEnded = true;
		return settle();
	}

	/** Gives up before any work has begun. */
	synchronized boolean abandon() {
		this.abandoned = true;
		return settle();
	}

	/**
	 * An inner call joins the leases.
	 * @return {@code false} if it must not, since they have been released
	 */
	synchronized boolean join() {
		if (this.open) {
			return false;
		}
		this.joined++;
		return true;
	}

	/** An inner call has ended. */
	synchronized boolean leave() {
		this.joined--;
		return settle();
	}

	/** Returns whether the leases have been released. */
	synchronized boolean isOpen() {
		return this.open;
	}

	private boolean settle() {
		if (this.open || isNeeded()) {
			return false;
		}
		this.open = true;
		return true;
	}

	private boolean isNeeded() {
		if (this.joined > 0) {
			return true;
		}
		if (this.abandoned) {
			return false;
		}
		return this.responseAwaited
				|| (this.requestEnded ? this.work == WorkState.UNDER_WAY || this.work == WorkState.PASSED_ON
						: this.work != WorkState.ENDED || this.releaseOn == ReleaseOn.RESPONSE);
	}

	/** The work of the call, as far as it continues after the method has returned. */
	private enum WorkState {

		/** None is known, but it may begin. */
		AHEAD,

		/** It is done outside of the method. */
		UNDER_WAY,

		/** It is about to end, with a result that stands for more work. */
		PASSED_ON,

		ENDED

	}

}
