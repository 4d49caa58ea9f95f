package io.github.lockstarter.registry.request;

import java.util.function.BiConsumer;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.registry.observe.RegistryObserver;
import io.github.lockstarter.registry.request.Answer.Refused;
import io.github.lockstarter.registry.runtime.EngineRuntime;
import io.github.lockstarter.store.AcquireCommand;

/**
 * A request for a lock that is held by a token that applications share. Another attempt
 * of the same token may have been granted the lock. So a grant is never undone, and a
 * refusal is final only if the store confirms that the token does not hold the lock.
 */
public final class SharedTokenRequest extends TokenRequest {

	private final BiConsumer<SharedTokenRequest, Runnable> extension;

	/**
	 * Creates a request.
	 * @param extension extends the lock and answers the request if its token holds the
	 * lock, answers it also if the store fails, and otherwise runs the action
	 */
	public SharedTokenRequest(LockKey key, LockOptions options, Delivery delivery, EngineRuntime runtime,
			RegistryObserver observer, String token, BiConsumer<SharedTokenRequest, Runnable> extension) {
		super(key, options, delivery, runtime, observer, token);
		this.extension = extension;
	}

	@Override
	public AcquireCommand command(String owner) {
		return AcquireCommand.of(owner, options().ttl()).forSharedToken();
	}

	/**
	 * Extends the lock and answers the request if its token holds the lock.
	 * @param otherwise the action if it does not
	 */
	public void extend(Runnable otherwise) {
		this.extension.accept(this, otherwise);
	}

	@Override
	void answer(Answer given) {
		if (given instanceof Refused) {
			extend(() -> super.answer(given));
		}
		else {
			super.answer(given);
		}
	}

}
