package io.github.lockstarter.registry.acquisition;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.registry.observe.RegistryObserver;
import io.github.lockstarter.registry.runtime.EngineRuntime;
import io.github.lockstarter.registry.runtime.OwnerTokens;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.ResultKey;

/**
 * An acquisition for a lease, without alternatives.
 */
public final class LeaseAcquisition extends Acquisition {

	private final OwnerTokens owners;

	public LeaseAcquisition(LockKey key, LockOptions options, Delivery delivery, EngineRuntime runtime,
			RegistryObserver observer, OwnerTokens owners) {
		super(key, options, delivery, runtime, observer);
		this.owners = owners;
	}

	@Override
	public String nextOwner() {
		return this.owners.next();
	}

	@Override
	public AcquireCommand command(String owner) {
		return AcquireCommand.of(owner, options().ttl());
	}

	@Override
	public boolean canFollow(@Nullable ResultKey held) {
		return true;
	}

}
