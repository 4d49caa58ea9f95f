package io.github.lockstarter.aop;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.github.lockstarter.LockOptions;

/**
 * What one source says about a lock: the operator for a name, the annotation, or the
 * defaults. {@code null} leaves it to the next source.
 *
 * @param ttl how long the lock is held at most
 * @param waitTime how long to wait for it
 * @param conflictStatus the HTTP status of a refusal
 */
public record LockSettings(@Nullable Duration ttl, @Nullable Duration waitTime, @Nullable Integer conflictStatus) {

	/** Returns the options with what this source says in place of theirs. */
	LockOptions over(LockOptions defaults) {
		return new LockOptions((this.ttl != null) ? this.ttl : defaults.ttl(),
				(this.waitTime != null) ? this.waitTime : defaults.waitTime(),
				(this.conflictStatus != null) ? this.conflictStatus : defaults.conflictStatus());
	}

}
