package io.github.lockstarter.operation;

import java.time.Duration;
import java.util.function.Function;

import org.springframework.http.HttpStatusCode;

import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockConflictException.ConflictReason;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockKey;

/**
 * Gives each conflict its status. No other class of this module changes it. A conflict of
 * the registry of this library is created with the configured status. For a call of an
 * annotated method, that of its annotation replaces it. A conflict that the application,
 * or a registry of its own, has created without a status gets the configured one before
 * the response is made.
 */
public final class ConflictStatuses {

	private final Function<String, HttpStatusCode> configured;

	/**
	 * Creates the statuses.
	 * @param configured returns the status by the name of the lock
	 */
	public ConflictStatuses(Function<String, HttpStatusCode> configured) {
		this.configured = configured;
	}

	/**
	 * Creates a conflict with the configured status, for the registry.
	 * @param key the lock
	 * @param reason why the caller is rejected
	 * @param retryAfter the remaining time of the holder's lease, if it is not renewed
	 */
	public LockConflictException create(LockKey key, ConflictReason reason, Duration retryAfter) {
		return new LockConflictException(key, reason, retryAfter, this.configured.apply(key.name()));
	}

	/**
	 * Returns a conflict of a call with the status of the operation that needs the lock.
	 */
	public static LockConflictException withStatusOf(LockOperation operation, LockConflictException conflict) {
		return conflict.withStatusCode(operation.conflictStatus());
	}

	/**
	 * Returns an exception with its status, for the response.
	 * @param exception the exception
	 * @return the exception; if it is a conflict without a status of its own, the same
	 * conflict with the configured status
	 */
	public LockException withStatus(LockException exception) {
		return (exception instanceof LockConflictException conflict && !conflict.hasOwnStatusCode())
				? conflict.withStatusCode(this.configured.apply(conflict.getLockName())) : exception;
	}

}
