package io.github.lockstarter.registry.acquisition;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.registry.acquisition.Answer.Rejected;
import io.github.lockstarter.store.AcquireCommand;

/**
 * An acquisition for a lock that is held by a token that applications share. Another
 * attempt of the same token may have been granted the lock. So a grant is never undone,
 * and a rejection is final only if the store confirms that the token does not hold the
 * lock.
 */
public final class SharedTokenAcquisition extends TokenAcquisition {

	private final SharedToken token;

	public SharedTokenAcquisition(LockKey key, LockOptions options, Delivery delivery, RegistryContext context,
			SharedToken token) {
		super(key, options, delivery, context, token.value());
		this.token = token;
	}

	@Override
	public AcquireCommand command(String owner) {
		return AcquireCommand.of(owner, options().ttl()).forSharedToken();
	}

	/**
	 * Extends the lock and answers the acquisition if its token holds the lock.
	 * @param otherwise the action if it does not
	 */
	public void extend(Runnable otherwise) {
		this.token.extend(this, otherwise);
	}

	@Override
	void answer(Answer given) {
		if (given instanceof Rejected) {
			extend(() -> super.answer(given));
		}
		else {
			super.answer(given);
		}
	}

}
