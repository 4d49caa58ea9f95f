package io.github.lockstarter.registry.request;

import java.util.function.BiConsumer;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.registry.observe.RegistryObserver;
import io.github.lockstarter.registry.request.Answer.Refused;
import io.github.lockstarter.registry.runtime.EngineRuntime;
import io.github.lockstarter.store.AcquireCommand;

/**
 * Asks for a lock for a token that others know, too. Another attempt of the token may
 * have been granted the lock, so it is not taken back, and no refusal is final unless the
 * store confirms that the token does not hold the lock.
 */
public final class SharedTokenRequest extends TokenRequest {

	private final BiConsumer<SharedTokenRequest, Runnable> extension;

	/**
	 * Creates a request.
	 * @param extension answers the request if its token holds the lock, which is then
	 * extended, or if the store fails; otherwise it runs the action
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
	 * Answers the request if its token holds the lock, which is then extended.
	 * @param otherwise what to do if it does not
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
