package io.github.lockstarter.web;

import java.util.function.Function;

import org.springframework.http.HttpStatusCode;

import io.github.lockstarter.LockConflictException;

/**
 * Gives conflicts that the application creates itself, or a registry of its own, the
 * status that is configured for their lock. All others have one already.
 */
public final class ConflictStatuses {

	private final Function<String, HttpStatusCode> configured;

	/**
	 * Creates the statuses.
	 * @param configured the status by name of the lock
	 */
	public ConflictStatuses(Function<String, HttpStatusCode> configured) {
		this.configured = configured;
	}

	/**
	 * Sets the status of a conflict that has none.
	 * @param conflict the conflict
	 */
	public void addTo(LockConflictException conflict) {
		if (!conflict.isStatusCodeSet()) {
			conflict.setStatusCode(this.configured.apply(conflict.getLockName()));
		}
	}

}
