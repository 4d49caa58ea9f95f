package io.github.lockstarter.completion;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Tells the leases of a request that it has ended.
 */
public final class EndOfRequest {

	/** The name of the attribute that a request keeps it in. */
	public static final String ATTRIBUTE = EndOfRequest.class.getName();

	private final List<HeldLeases> held = new CopyOnWriteArrayList<>();

	private volatile boolean reached;

	/** Tells the leases, too. */
	public void add(HeldLeases leases) {
		leases.watch();
		this.held.add(leases);
		if (this.reached) {
			leases.requestEnded();
		}
	}

	/** The request has ended. */
	public void reached() {
		this.reached = true;
		this.held.forEach(HeldLeases::requestEnded);
	}

}
