package io.github.lockstarter.operation;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatusCode;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.annotation.OnConflict;
import io.github.lockstarter.key.LockInvocation;
import io.github.lockstarter.key.LockKeys;
import io.github.lockstarter.key.MethodExpression;
import io.github.lockstarter.result.ReplayRetention;
import io.github.lockstarter.result.SharedCall;

/**
 * The settings of one {@code @ExclusiveRequest} on a method, merged with the
 * configuration.
 *
 * @param name the name of the lock
 * @param enabled whether the method acquires it
 * @param keys the locks that a call needs
 * @param condition the condition for the lock, or {@code null} for none
 * @param options the options of the lock
 * @param onConflict what happens to a call whose lock is held
 * @param conflictStatus the status of a conflict
 * @param onStoreFailure what happens to a call when the store fails
 * @param sharing the sharing or replay of results, or {@code null} if there is none
 */
public record LockOperation(String name, boolean enabled, LockKeys keys, @Nullable MethodExpression condition,
		LockOptions options, OnConflict onConflict, HttpStatusCode conflictStatus, OnStoreFailure onStoreFailure,
		@Nullable Sharing sharing) {

	/**
	 * Returns whether the call needs the lock. Only a condition with the value
	 * {@code false} exempts it, and not one with the value {@code null}.
	 */
	public boolean appliesTo(LockInvocation call) {
		return this.enabled
				&& (this.condition == null || !Boolean.FALSE.equals(this.condition.evaluate(call, Boolean.class)));
	}

	/** Returns whether a call whose lock is held is skipped. */
	public boolean skips() {
		return this.onConflict == OnConflict.SKIP;
	}

	/** Returns whether a call runs without the lock when the store fails. */
	public boolean proceedsOnStoreFailure() {
		return this.onStoreFailure == OnStoreFailure.PROCEED;
	}

	/** Returns whether a call may receive the result of another one. */
	public boolean sharesResults() {
		return this.sharing != null;
	}

	/** Returns the replay of results; {@code null} if they are not replayed. */
	public @Nullable ReplayRetention replay() {
		return (this.sharing != null) ? this.sharing.results().replay() : null;
	}

	/**
	 * Returns the positions of the parameters that the locks of a call depend on;
	 * {@code null} if they, or what is shared, may depend on all of them.
	 */
	@Nullable Set<Integer> parameters() {
		Set<Integer> ofKeys = (this.sharing != null && this.sharing.readsArguments()) ? null : this.keys.parameters();
		Set<Integer> ofCondition = (this.condition != null) ? this.condition.parameters() : Set.of();
		if (ofKeys == null || ofCondition == null) {
			return null;
		}
		Set<Integer> all = new TreeSet<>(ofKeys);
		all.addAll(ofCondition);
		return all;
	}

	/** Returns whether a call depends on the request beyond its arguments. */
	boolean readsRequest() {
		return this.sharing != null || this.keys.readsRequest()
				|| (this.condition != null && this.condition.readsRequest());
	}

	/** Returns whether the result of a call is only for the content of its request. */
	boolean readsContent() {
		return this.sharing != null && this.sharing.readsContent();
	}

	/** Returns whether a call depends on the principal. */
	boolean readsPrincipal() {
		return (this.sharing != null && this.sharing.readsPrincipal()) || this.keys.readsPrincipal()
				|| (this.condition != null && this.condition.readsPrincipal());
	}

	/**
	 * Returns the locks for the call. If the call has no value for the key, but binding
	 * errors of a form, the lock without a key is used.
	 * @throws io.github.lockstarter.MissingLockKeyException if the call has no value for
	 * the key, and no binding errors
	 * @throws io.github.lockstarter.TooManyLockKeysException if it needs too many locks
	 */
	public List<LockKey> lockKeys(LockInvocation call) {
		return this.keys.find(call);
	}

	/**
	 * Returns the options of the lock. Calls of different users share the lock without a
	 * key: they wait for each other, and share no results.
	 */
	public LockOptions options(LockKey lock) {
		return (isForErrors(lock) && this.options.waitTime().isZero())
				? this.options.withWaitTime(LockSettings.defaultWait(this.options.ttl())) : this.options;
	}

	/**
	 * Returns the sharing of the result of the call; {@code null} if it is not shared.
	 */
	public @Nullable SharedCall shared(LockKey lock, LockInvocation call) {
		return (this.sharing != null && !isForErrors(lock)) ? this.sharing.of(call) : null;
	}

	private boolean isForErrors(LockKey lock) {
		return !this.keys.isOfMethod() && lock.key().isEmpty();
	}

}
