package io.github.lockstarter.web;

import java.util.function.Function;

import org.springframework.http.HttpStatusCode;

import io.github.lockstarter.LockConflictException;

/**
 * Sets the configured status of conflicts that the application or a custom registry
 * creates. All other conflicts have a status already.
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
	 * Sets the status of a conflict that has none.
	 * @param conflict the conflict
	 */
	public void addTo(LockConflictException conflict) {
		if (!conflict.isStatusCodeSet()) {
			conflict.setStatusCode(this.configured.apply(conflict.getLockName()));
		}
	}

}
