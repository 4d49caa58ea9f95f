package io.github.lockstarter.completion;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

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

	/** Returns whether leases have been added, ended ones included. */
	public boolean hasLeases() {
		return !this.held.isEmpty();
	}

	/** Notifies the leases, also those that are added later. */
	public void reached() {
		this.reached = true;
		this.held.forEach(HeldLeases::requestEnded);
	}

}
