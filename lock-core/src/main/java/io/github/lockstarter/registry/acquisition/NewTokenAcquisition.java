package io.github.lockstarter.registry.acquisition;

import java.util.function.BiConsumer;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.registry.acquisition.Answer.HeldByToken;
import io.github.lockstarter.store.AcquireCommand;

/**
 * An acquisition for a lock that is held by a new token, which only the caller will know.
 */
public final class NewTokenAcquisition extends TokenAcquisition {

	private final BiConsumer<LockKey, String> release;

	/**
	 * Creates an acquisition with a new token.
	 * @param release releases the lock of the token if the caller has given up
	 */
	public NewTokenAcquisition(LockKey key, LockOptions options, Delivery delivery, RegistryContext context,
			BiConsumer<LockKey, String> release) {
		super(key, options, delivery, context, context.owners().next());
		this.release = release;
	}

	@Override
	public AcquireCommand command(String owner) {
		return AcquireCommand.of(owner, options().ttl());
	}

	@Override
	public void giveBack(Answer given) {
		if (given instanceof HeldByToken) {
			this.release.accept(key(), nextOwner());
		}
	}

}
