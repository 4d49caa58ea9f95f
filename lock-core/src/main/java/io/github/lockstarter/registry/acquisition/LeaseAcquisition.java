package io.github.lockstarter.registry.acquisition;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.ResultKey;

/**
 * An acquisition for a lease, without alternatives.
 */
public final class LeaseAcquisition extends Acquisition {

	public LeaseAcquisition(LockKey key, LockOptions options, Delivery delivery, RegistryContext context) {
		super(key, options, delivery, context);
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
