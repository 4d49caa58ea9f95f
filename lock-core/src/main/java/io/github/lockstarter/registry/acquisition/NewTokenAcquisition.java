package io.github.lockstarter.registry.acquisition;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.registry.observe.RegistryObserver;
import io.github.lockstarter.registry.acquisition.Answer.HeldByToken;
import io.github.lockstarter.registry.runtime.EngineRuntime;
import io.github.lockstarter.store.AcquireCommand;

/**
 * An acquisition for a lock that is held by a new token, which only the caller will know.
 */
public final class NewTokenAcquisition extends TokenAcquisition {

	private final Runnable release;

	/**
	 * Creates an acquisition.
	 * @param token a new token
	 * @param release releases a grant if the caller has given up
	 */
	public NewTokenAcquisition(LockKey key, LockOptions options, Delivery delivery, EngineRuntime runtime,
			RegistryObserver observer, String token, Runnable release) {
		super(key, options, delivery, runtime, observer, token);
		this.release = release;
	}

	@Override
	public AcquireCommand command(String owner) {
		return AcquireCommand.of(owner, options().ttl());
	}

	@Override
	public void giveBack(Answer given) {
		if (given instanceof HeldByToken) {
			this.release.run();
		}
	}

}
