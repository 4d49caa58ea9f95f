package io.github.lockstarter.registry.simulation;

import io.github.lockstarter.Lease;
import io.github.lockstarter.registry.lease.StoreLease;
import io.github.lockstarter.registry.simulation.StoreUse.Grant;

/**
 * A lease and the caller that got it.
 */
final class Holding {

	private final SimulatedCaller caller;

	private final Lease lease;

	private final Grant grant;

	private final int epoch;

	/** When the caller got it, on the clock of the process. */
	private final long begin;

	private boolean released;

	/** Whether the lease was held at its release. */
	private boolean releasedInTime;

	private long ended;

	/**
	 * Creates a holding. The lease may have ended already: it is delivered late then.
	 */
	Holding(SimulatedCaller caller, Lease lease, Grant grant, long now) {
		this.caller = caller;
		this.lease = lease;
		this.grant = grant;
		this.epoch = grant.epoch();
		this.begin = caller.process().nanoTime();
		this.ended = Holding.isHeld(lease) ? -1 : now;
	}

	/**
	 * Returns whether a lease is held. Unlike {@link Lease#isHeld()}, it changes nothing:
	 * an expired lease may still turn out to be renewed.
	 */
	static boolean isHeld(Lease lease) {
		return !lease.remaining().isZero();
	}

	/** Returns whether the application looks at the lease all the time. */
	boolean isWatched() {
		return this.caller.number() % 2 == 0;
	}

	SimulatedCaller caller() {
		return this.caller;
	}

	Lease lease() {
		return this.lease;
	}

	Grant grant() {
		return this.grant;
	}

	/** Returns the number of data losses before the grant. */
	int epoch() {
		return this.epoch;
	}

	boolean isReleased() {
		return this.released;
	}

	boolean isReleasedInTime() {
		return this.releasedInTime;
	}

	/** Called just before the holder releases the lease. */
	void setReleased() {
		this.released = true;
		this.releasedInTime |= Holding.isHeld(this.lease);
	}

	/** Returns when the lease was first observed as ended, or -1. */
	long ended() {
		return this.ended;
	}

	void setEnded(long ended) {
		this.ended = ended;
	}

	/** Returns the time since the caller got the lease, on the clock of the process. */
	long heldFor() {
		return this.caller.process().nanoTime() - this.begin;
	}

	/**
	 * Returns the owner in the store, which is known even if its fencing token is not
	 * unique.
	 */
	String owner() {
		return ((StoreLease) this.lease).turn().owner();
	}

	/** Returns the time since the grant, on the clock of the process. */
	long age() {
		return ((StoreLease) this.lease).age();
	}

	long holdAtLeast() {
		return this.caller.options().holdAtLeast().toNanos();
	}

	long ttl() {
		return this.caller.options().ttl().toNanos();
	}

}
