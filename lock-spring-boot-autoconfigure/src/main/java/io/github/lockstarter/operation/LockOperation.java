package io.github.lockstarter.operation;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatusCode;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.MissingLockKeyException;
import io.github.lockstarter.key.KeyText;
import io.github.lockstarter.key.LockInvocation;
import io.github.lockstarter.key.MethodExpression;
import io.github.lockstarter.result.Replay;
import io.github.lockstarter.result.SharedCall;

/**
 * What one {@code @ExclusiveRequest} and the configuration say about a method.
 *
 * @param name the name of the lock
 * @param key the expression of the key, or {@code null} for one lock for the whole method
 * @param condition when to lock, or {@code null} for always
 * @param options how to lock
 * @param refusal the status of a refusal
 * @param sharing how results are shared or replayed, or {@code null} if they are not
 */
public record LockOperation(String name, @Nullable MethodExpression key, @Nullable MethodExpression condition,
		LockOptions options, HttpStatusCode refusal, @Nullable Sharing sharing) {

	/**
	 * Returns whether the call needs the lock. A condition of {@code null} does not
	 * exempt it, only {@code false} does.
	 */
	public boolean appliesTo(LockInvocation call) {
		return this.condition == null || !Boolean.FALSE.equals(this.condition.evaluate(call, Boolean.class));
	}

	/** Returns whether a call may be given the result of another. */
	public boolean sharesResults() {
		return this.sharing != null;
	}

	/** Returns how results are replayed; {@code null} if they are not. */
	public @Nullable Replay replay() {
		return (this.sharing != null) ? this.sharing.results().replay() : null;
	}

	/** Returns whether a call depends on the request beyond its arguments. */
	boolean readsRequest() {
		return this.sharing != null || (this.key != null && this.key.readsRequest())
				|| (this.condition != null && this.condition.readsRequest());
	}

	/** Returns whether a call depends on the principal. */
	boolean readsPrincipal() {
		return (this.sharing != null && this.sharing.readsPrincipal())
				|| (this.key != null && this.key.readsPrincipal())
				|| (this.condition != null && this.condition.readsPrincipal());
	}

	/**
	 * Returns the lock for the call. If the call has no value for the key, but binding
	 * errors of a form, it is the lock without a key.
	 * @throws MissingLockKeyException if the call has no value for the key, and no
	 * binding errors
	 */
	public LockKey lockKey(LockInvocation call) {
		Object value = (this.key != null) ? this.key.evaluate(call) : null;
		return (this.key == null || (isOfForm(this.key) && KeyText.isMissing(value) && call.hasBindingErrors()))
				? new LockKey(this.name, "") : KeyText.lockKey(this.name, value);
	}

	/** A key that reads a header, the path or the principal is no field of a form. */
	private static boolean isOfForm(MethodExpression key) {
		return !key.readsRequest();
	}

	/**
	 * Returns the options of the lock. Calls of different users share the lock without a
	 * key: they wait for each other, and share no results.
	 */
	public LockOptions options(LockKey lock) {
		return (isForErrors(lock) && this.options.waitTime().isZero())
				? this.options.withWaitTime(LockSettings.defaultWait(this.options.ttl())) : this.options;
	}

	/** Returns how the result of the call is shared; {@code null} if it is not. */
	public @Nullable SharedCall shared(LockKey lock, LockInvocation call) {
		return (this.sharing != null && !isForErrors(lock)) ? this.sharing.of(call) : null;
	}

	private boolean isForErrors(LockKey lock) {
		return this.key != null && lock.key().isEmpty();
	}

}
