package io.github.lockstarter.registry.request;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.TokenLocks.TokenLock;
import io.github.lockstarter.registry.observe.RegistryObserver;
import io.github.lockstarter.registry.request.Answer.HeldByToken;
import io.github.lockstarter.registry.request.Answer.Refused;
import io.github.lockstarter.registry.runtime.EngineRuntime;
import io.github.lockstarter.store.AcquireCommand;
import io.github.lockstarter.store.ResultKey;

/**
 * Asks for a lock that a token holds, instead of this JVM.
 */
public final class TokenRequest extends AcquireRequest {

	private final String token;

	private final @Nullable Runnable release;

	/**
	 * Creates a request.
	 * @param token the token
	 * @param release releases what was granted when the caller has given up; {@code null}
	 * if others know the token, too, and may be sure of the lock
	 */
	public TokenRequest(LockKey key, LockOptions options, Caller caller, EngineRuntime runtime,
			RegistryObserver observer, String token, @Nullable Runnable release) {
		super(key, options, caller, runtime, observer);
		this.token = token;
		this.release = release;
	}

	@Override
	public String owner() {
		return this.token;
	}

	@Override
	public AcquireCommand command(String owner) {
		AcquireCommand command = AcquireCommand.of(owner, options().ttl());
		return isTokenShared() ? command.forSharedToken() : command;
	}

	/** Returns whether others know the token, too. */
	public boolean isTokenShared() {
		return this.release == null;
	}

	@Override
	public boolean canFollow(@Nullable ResultKey held) {
		return false;
	}

	/** Answers the caller that its token holds the lock. */
	public void grantToToken(TokenLock held) {
		answer(new HeldByToken(held));
	}

	/** A lock is not taken back from a token that others know, too. */
	@Override
	public void giveBack(Answer given) {
		if (given instanceof HeldByToken && this.release != null) {
			this.release.run();
		}
	}

	/**
	 * A shared token that is refused may hold the lock by another attempt, so that is
	 * found out before.
	 */
	@Override
	void observe(Answer given) {
		if (!(given instanceof Refused) || !isTokenShared()) {
			super.observe(given);
		}
	}

	/** The refusal stands. */
	public void observeRefusal(Refused refused) {
		endRefused(refused);
	}

}
