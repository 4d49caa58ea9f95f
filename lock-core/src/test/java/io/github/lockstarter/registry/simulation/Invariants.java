package io.github.lockstarter.registry.simulation;

import java.util.List;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.Lease;
import io.github.lockstarter.registry.RegistryAccess;

/**
 * The invariants, which are checked after every step and at the end.
 */
final class Invariants {

	private final SimulatedWorld world;

	private final LeaseInvariants leases;

	private final CallerInvariants callers;

	Invariants(SimulatedWorld world) {
		this.world = world;
		this.leases = new LeaseInvariants(world);
		this.callers = new CallerInvariants(world, this.leases);
		world.server().onGrant((key, owner, process) -> {
			if (!owner.equals(world.server().owner(key))) {
				this.leases.grantedByServer(key, owner);
				this.callers.grantedByServer(key, process);
			}
		});
		world.server().onRelease(this.leases::releasedByServer);
	}

	LeaseInvariants leases() {
		return this.leases;
	}

	CallerInvariants callers() {
		return this.callers;
	}

	/** Called just before the caller releases its lease. */
	void releases(SimulatedCaller caller, Lease lease, @Nullable String result) {
		this.leases.releases(caller, lease, result, this.callers::releases);
	}

	/** Runs code of the engine that must not throw. */
	void guard(Runnable code) {
		try {
			code.run();
		}
		catch (Throwable ex) {
			this.world.violated(new InvariantViolation("The engine throws " + ex, ex));
		}
	}

	/** Called after every step. */
	void check() {
		this.leases.check();
		this.callers.check();
	}

	/** Called at the end, without callers and faults: nothing may be left. */
	void checkEnd(List<SimulatedProcess> processes) {
		check();
		for (SimulatedProcess process : processes) {
			if (!RegistryAccess.isUnused(process.registry())) {
				this.world.violated("Locks are left in the entries of %s", process);
			}
			if (process.runtime().alarms() > 0) {
				this.world.violated("%d steps are still scheduled in %s", process.runtime().alarms(), process);
			}
			if (process.store().isWatching()) {
				this.world.violated("%s still watches", process);
			}
			process.store()
				.use()
				.unreleased()
				.forEach((owner, key) -> this.world.violated("%s was not released, granted to %s in %s", key.key(),
						SimulatedStore.shortly(owner), process));
		}
		this.callers.checkEnd(processes);
		if (!this.world.server().isEmpty()) {
			this.world.violated("Something is left in the store");
		}
	}

}
