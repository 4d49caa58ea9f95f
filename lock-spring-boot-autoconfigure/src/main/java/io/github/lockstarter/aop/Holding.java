package io.github.lockstarter.aop;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.Lease;

/**
 * The leases under which one call of an annotated method runs. They are released
 * together, the last one first, when the work of the call has ended: be it with the
 * method, or later. Where the response is to be covered as well, or the work has not even
 * begun, the end of the request counts, too.
 */
final class Holding {

	private final List<Lease> leases;

	private final @Nullable Lease lease;

	private final boolean untilResponse;

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
		this.leases = List.copyOf(leases);
		this.lease = lease;
		this.untilResponse = untilResponse;
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
				this.leases.get(i).close();
			}
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
			releases[i] = this.leases.get(i).releaseAsync().toCompletableFuture();
		}
		return CompletableFuture.allOf(releases);
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
