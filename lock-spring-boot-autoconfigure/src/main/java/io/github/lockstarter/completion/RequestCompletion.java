package io.github.lockstarter.completion;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import io.github.lockstarter.result.SharedResult.Response;

/**
 * Notifies the leases of a request of its end.
 */
public final class RequestCompletion {

	/** The name of the request attribute that holds it. */
	public static final String ATTRIBUTE = RequestCompletion.class.getName();

	private final List<HeldLeases> held = new CopyOnWriteArrayList<>();

	private volatile boolean reached;

	/** Adds leases to notify. */
	public void add(HeldLeases leases) {
		leases.watch();
		this.held.add(leases);
		if (this.reached) {
			leases.requestEnded();
		}
	}

	/** Returns whether the leases have been notified. */
	public boolean isReached() {
		return this.reached;
	}

	/** Returns whether leases have been added, including those that have ended. */
	public boolean hasLeases() {
		return !this.held.isEmpty();
	}

	/** Returns the leases that have been added, the last one first. */
	public List<HeldLeases> leases() {
		List<HeldLeases> leases = new ArrayList<>(this.held);
		Collections.reverse(leases);
		return leases;
	}

	/** Returns whether leases are held until the response is known. */
	public boolean awaitsResponse() {
		return this.held.stream().anyMatch(HeldLeases::awaitsResponse);
	}

	/** Returns whether leases are, or may yet be, held until the response is known. */
	public boolean mayAwaitResponse() {
		return this.held.stream().anyMatch(HeldLeases::mayAwaitResponse);
	}

	/**
	 * Returns whether the work has to be done to its end, even if nobody gets the
	 * response: a duplicate would do it again if it failed.
	 */
	public boolean finishesWork() {
		return this.held.stream()
			.anyMatch((leases) -> leases.result().replays() && leases.mayAwaitResponse() && !leases.awaitsResponse());
	}

	/**
	 * Keeps the response for later duplicates where leases are held for that.
	 * @return completes when these have been released; never fails
	 */
	public CompletionStage<Void> responded(Response response) {
		return CompletableFuture
			.allOf(awaiting().map((leases) -> leases.responded(response).toCompletableFuture())
				.toArray(CompletableFuture[]::new))
			.exceptionally((failure) -> null);
	}

	/**
	 * Reports that the response cannot be kept.
	 * @param reason why it would not be the same for other callers
	 * @param status its status
	 */
	public void responseLost(String reason, int status) {
		this.held.forEach((leases) -> leases.responseLost(reason, status));
	}

	/**
	 * Keeps no response, because it is that to a {@code HEAD} request, which has no body.
	 */
	public void dropResponses() {
		awaiting().forEach(HeldLeases::dropResponse);
	}

	/**
	 * Releases leases that are held until the response is known: the handler is called
	 * again, by advice that repeats failed calls.
	 */
	public void giveUpResponses() {
		awaiting().forEach(HeldLeases::giveUpResponse);
	}

	private Stream<HeldLeases> awaiting() {
		return this.held.stream().filter(HeldLeases::awaitsResponse);
	}

	/**
	 * Notifies the leases of the end of the request, including leases that are added
	 * later.
	 */
	public void reached() {
		this.reached = true;
		this.held.forEach(HeldLeases::requestEnded);
	}

}
