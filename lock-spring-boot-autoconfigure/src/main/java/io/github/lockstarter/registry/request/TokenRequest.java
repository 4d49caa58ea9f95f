package io.github.lockstarter.registry.request;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.TokenLocks.TokenLock;
import io.github.lockstarter.registry.observe.RegistryObserver;
import io.github.lockstarter.registry.request.Answer.HeldByToken;
import io.github.lockstarter.registry.runtime.EngineRuntime;
import io.github.lockstarter.store.ResultKey;

/**
 * Asks for a lock that a token holds, instead of this JVM.
 */
public abstract sealed class TokenRequest extends AcquireRequest permits NewTokenRequest, SharedTokenRequest {

	private final String token;

	TokenRequest(LockKey key, LockOptions options, Delivery delivery, EngineRuntime runtime, RegistryObserver observer,
			String token) {
		super(key, options, delivery, runtime, observer);
		this.token = token;
	}

	@Override
	public final String owner() {
		return this.token;
	}

	/** It may be submitted on a thread of the store, where its caller must not run. */
	@Override
	public final void refuseAtOnce(Duration remaining, boolean queueFull) {
		answer(refusal(remaining, queueFull));
	}

	@Override
	public final boolean deliverRefusal() {
		return false;
	}

	@Override
	public final boolean canFollow(@Nullable ResultKey held) {
		return false;
	}

	/** Answers the caller that its token holds the lock. */
	public final void grantToToken(TokenLock held) {
		answer(new HeldByToken(held));
	}

}
