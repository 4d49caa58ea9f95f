package io.github.lockstarter.registry;

import java.time.Duration;

import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockConflictException.ConflictReason;
import io.github.lockstarter.LockKey;

/**
 * Creates the exceptions for rejected callers, for example with a status that is
 * configured for the lock.
 */
@FunctionalInterface
public interface ConflictFactory {

	/**
	 * Creates an exception, on a thread of the rejected caller.
	 * @param key the lock
	 * @param reason why the caller is rejected
	 * @param retryAfter the remaining time of the holder's lease, if it is not renewed
	 * @return the exception
	 */
	LockConflictException create(LockKey key, ConflictReason reason, Duration retryAfter);

}
