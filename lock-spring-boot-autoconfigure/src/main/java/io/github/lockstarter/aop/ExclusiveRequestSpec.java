package io.github.lockstarter.aop;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockKey;
import io.github.lockstarter.LockOptions;
import io.github.lockstarter.MissingLockKeyException;

/**
 * What {@code @ExclusiveRequest} and the configuration say about one method.
 *
 * @param name the name of the lock
 * @param key the key within it, or {@code null} for one lock for the whole method
 * @param condition when to lock, or {@code null} for always
 * @param options how to lock
 * @param sharing how results are shared or replayed, or {@code null} if they are not
 */
record ExclusiveRequestSpec(String name, @Nullable MethodExpression key, @Nullable MethodExpression condition,
		LockOptions options, @Nullable Sharing sharing) {

	/** Only {@code false} lets a call run without a lock, not {@code null}. */
	boolean appliesTo(Call call) {
		return this.condition == null || !Boolean.FALSE.equals(this.condition.evaluate(call, Boolean.class));
	}

	/** Returns whether a call depends on more of the request than the arguments. */
	boolean readsRequest() {
		return this.sharing != null || (this.key != null && this.key.readsRequest())
				|| (this.condition != null && this.condition.readsRequest());
	}

	/**
	 * Returns the lock for the call.
	 * @throws MissingLockKeyException if the call has no value for the key
	 */
	LockKey lockKey(Call call) {
		if (this.key == null) {
			return new LockKey(this.name, "");
		}
		return KeyText.lockKey(this.name, this.key.evaluate(call));
	}

}
