package io.github.lockstarter.registry.acquisition;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockConflictException.ConflictReason;
import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.TokenLocks.TokenLock;
import io.github.lockstarter.registry.acquisition.Answer.HeldByToken;
import io.github.lockstarter.store.ResultKey;

/**
 * An acquisition for a lock that is held by a token instead of this instance.
 */
public abstract sealed class TokenAcquisition extends Acquisition permits NewTokenAcquisition, SharedTokenAcquisition {

	private final String token;

	TokenAcquisition(LockKey key, LockOptions options, Delivery delivery, RegistryContext context, String token) {
		super(key, options, delivery, context);
		this.token = token;
	}

	@Override
	public final String nextOwner() {
		return this.token;
	}

	/**
	 * Not delivered on the submitting thread, which may be a thread of the store, where
	 * code of the caller must not run.
	 */
	@Override
	public final void rejectAtOnce(Duration remaining, ConflictReason reason) {
		answer(rejection(remaining, reason));
	}

	@Override
	public final boolean deliverRejection() {
		return false;
	}

	@Override
	public final boolean canFollow(@Nullable ResultKey held) {
		return false;
	}

	/** Answers the caller with the lock of its token. */
	public final void grantToToken(TokenLock held) {
		answer(new HeldByToken(held));
	}

}
