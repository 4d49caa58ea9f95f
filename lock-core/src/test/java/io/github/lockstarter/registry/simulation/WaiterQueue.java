package io.github.lockstarter.registry.simulation;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.registry.simulation.SimulatedCaller.Kind;
import io.github.lockstarter.store.Capability;

/**
 * The callers of a process that wait for a lock.
 */
final class WaiterQueue {

	/** The maximum polling interval if the store notifies. */
	private static final long LONGEST_SLEEP = TimeUnit.SECONDS.toNanos(1);

	/** The maximum polling interval if the store does not notify. */
	private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(120);

	/**
	 * How often another process may get the lock in succession while this one waits. Each
	 * time both are notified and chance decides; a loss of this many even chances in
	 * succession happens once in a billion times.
	 */
	private static final int MOST_MISSED = 30;

	/** The minimum time for which a process leaves a lock to other polling processes. */
	private static final long SHORTEST_YIELD = TimeUnit.MILLISECONDS.toNanos(10);

	private static final long NEVER = Long.MIN_VALUE / 2;

	private final SimulatedWorld world;

	private final Scenario scenario;

	private final SimulatedProcess process;

	private final LockKey key;

	private final LeaseInvariants leases;

	private final Set<SimulatedCaller> waiters = new LinkedHashSet<>();

	/** The time since which a waiter could have been served. */
	private long since;

	/**
	 * Whether the lock was held in this process at the last check.
	 */
	private boolean held;

	/**
	 * The time at which the store was last known to notify of a release, if it has to.
	 */
	private long notified;

	/** How often another process has got the lock in succession since then. */
	private int missed;

	private int mostMissed;

	private @Nullable SimulatedProcess lastWinner;

	/** The time at which a lease with local waiters was released. */
	private long released = NEVER;

	WaiterQueue(SimulatedWorld world, SimulatedProcess process, LockKey key, LeaseInvariants leases) {
		this.world = world;
		this.scenario = world.scenario();
		this.leases = leases;
		this.process = process;
		this.key = key;
	}

	SimulatedProcess process() {
		return this.process;
	}

	LockKey key() {
		return this.key;
	}

	Set<SimulatedCaller> waiters() {
		return this.waiters;
	}

	/**
	 * Returns the maximum number of times in succession that another process got the
	 * lock.
	 */
	int mostMissed() {
		return this.mostMissed;
	}

	void add(SimulatedCaller caller) {
		if (this.waiters.isEmpty()) {
			this.since = this.world.now();
			this.notified = this.world.now();
			this.missed = 0;
		}
		this.waiters.add(caller);
	}

	/** A caller that is unanswered for longer than an answer may take is waiting. */
	void checkSize() {
		long begun = this.world.now() - this.scenario.callbackDelay() - Scenario.SLACK;
		long waiting = this.waiters.stream()
			.filter((caller) -> caller.kind() == Kind.LEASE || caller.kind() == Kind.TOKEN)
			.filter((caller) -> caller.submitted() < begun && caller.submitted() > this.process.resumed())
			.count();
		if (waiting > this.scenario.maxWaiters() && !this.process.isPaused()
				&& this.world.now() - this.process.resumed() > Scenario.SLACK + this.scenario.callbackDelay()) {
			this.world.violated("%d callers wait for %s in %s, more than %d", waiting, this.key.key(), this.process,
					this.scenario.maxWaiters());
		}
	}

	/** Called when the lock is granted to this or another process. */
	void granted(SimulatedProcess winner) {
		this.missed = (winner == this.lastWinner && winner != this.process) ? this.missed + 1 : 0;
		this.lastWinner = winner;
		boolean calm = this.scenario.isCalm() && !this.waiters.isEmpty();
		if (calm && this.scenario.can(Capability.NOTIFIES)) {
			this.mostMissed = Math.max(this.mostMissed, this.missed);
			if (this.missed > MOST_MISSED) {
				this.world.violated("%s gets %s %d times in a row while %d wait in %s", winner, this.key.key(),
						this.missed, this.waiters.size(), this.process);
			}
		}
		else if (calm && winner == this.process && this.world.now() - this.released < SHORTEST_YIELD && hasWaitedOn()) {
			this.world.violated("%s takes %s again %d us after its release, though others may poll", winner,
					this.key.key(), TimeUnit.NANOSECONDS.toMicros(this.world.now() - this.released));
		}
		this.released = NEVER;
	}

	/** Returns whether a waiter from the time of the release still waits. */
	private boolean hasWaitedOn() {
		return this.waiters.stream()
			.anyMatch((caller) -> caller.submitted() < this.released
					&& caller.submitted() + caller.options().waitTime().toNanos() > this.world.now());
	}

	/**
	 * Called when a lease with local waiters is released. If the release is sent to the
	 * store, too, the turn is over.
	 */
	void releases(Holding holding) {
		boolean plain = holding.caller().kind() == Kind.LEASE && Holding.isHeld(holding.lease())
				&& this.waiters.stream().allMatch((caller) -> caller.kind() == Kind.LEASE);
		this.released = (plain && !this.waiters.isEmpty()) ? this.world.now() : NEVER;
	}

	/** Checks that a free lock is granted to a waiter in time. */
	void check() {
		if (this.waiters.isEmpty()) {
			return;
		}
		SimulatedServer server = this.world.server();
		long free = server.freeSince(this.key);
		if (this.process.isPaused() || this.process.isClosed() || this.process.store().link().isCut()
				|| !server.isAvailable()) {
			this.since = this.world.now();
			this.missed = 0;
		}
		if (this.scenario.can(Capability.NOTIFIES) && this.scenario.isPrompt()) {
			checkNotified();
		}
		// The server may have lost a lock that is held here.
		boolean held = free != Long.MAX_VALUE && this.leases.isHeldIn(this.process, this.key);
		if (held || this.held) {
			this.since = this.world.now();
		}
		this.held = held;
		if (free != Long.MAX_VALUE && this.world.now() - reachable(free) > bound(server.isReleased(this.key))) {
			this.world.violated("%s is free for %d ms, and %d wait for it in %s", this.key.key(),
					TimeUnit.NANOSECONDS.toMillis(this.world.now() - free), this.waiters.size(), this.process);
		}
	}

	/**
	 * Checks that, without losses, the store knows which processes to notify of a
	 * release.
	 */
	private void checkNotified() {
		SimulatedServer server = this.world.server();
		String owner = server.owner(this.key);
		if (owner == null || server.notifies(this.process.store(), this.key) || this.process.drained() >= 0
				|| this.process.isDead() || this.process.store().use().isAsking(this.key)
				|| this.process.store().use().unreleased().containsKey(owner)
				|| this.leases.isHeldIn(this.process, this.key)) {
			this.notified = this.world.now();
		}
		else if (this.world.now() - this.notified > bound(true)) {
			this.world.violated("%d wait for %s in %s, which is not to be notified of a release", this.waiters.size(),
					this.key.key(), this.process);
		}
	}

	/** Returns the time since which a waiter could have got the lock. */
	private long reachable(long free) {
		long connected = Math.max(this.process.resumed(), this.process.store().link().mended());
		return Math.max(Math.max(free, this.since), Math.max(connected, this.world.server().availableSince()));
	}

	/** A waiter that does not know the end of the lease polls. */
	private long bound(boolean released) {
		long look = (!this.scenario.can(Capability.NOTIFIES) || (this.scenario.isPrompt() && !released)) ? LONGEST_PAUSE
				: this.scenario.isPrompt() ? 2 * Scenario.SLACK : LONGEST_SLEEP;
		long commands = this.scenario.isPrompt() ? 6 * this.scenario.roundTrip() : 4 * this.scenario.longestAnswer();
		return look + commands + 4 * this.scenario.timerDelay() + 4 * this.scenario.callbackDelay() + 2 * Scenario.SLACK
				+ (this.scenario.has(Fault.DRIFT) ? LONGEST_SLEEP / 20 : 0);
	}

}
