package io.github.lockstarter.operation;

import java.util.function.Function;

import org.springframework.http.HttpStatusCode;

import io.github.lockstarter.LockConflictException;
import io.github.lockstarter.LockException;

/**
 * Gives conflicts without a status of their own that of the configuration: those that the
 * application or a registry of its own has created. The registry of this library and the
 * calls of annotated methods create each conflict with its status.
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
	 * Returns an exception with its status.
	 * @param exception the exception
	 * @return the exception; if it is a conflict without a status of its own, the same
	 * conflict with the configured status
	 */
	public LockException withStatus(LockException exception) {
		return (exception instanceof LockConflictException conflict && !conflict.hasOwnStatusCode())
				? conflict.withStatusCode(this.configured.apply(conflict.getLockName())) : exception;
	}

}
