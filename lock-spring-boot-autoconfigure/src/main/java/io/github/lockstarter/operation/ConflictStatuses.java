package io.github.lockstarter.operation;

import java.util.function.Function;

import org.springframework.http.HttpStatusCode;

import io.github.lockstarter.LockConflictException;

/**
 * The only code that sets the status of a conflict. A conflict of the registry, of the
 * application or of a custom registry has the status that is configured for the name of
 * its lock. The call of an annotated method replaces it with that of the annotation.
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

	/**
	 * Sets the status of a conflict of an annotated method.
	 * @param conflict the conflict
	 * @param operation the operation that needs the lock
	 */
	public static void replace(LockConflictException conflict, LockOperation operation) {
		conflict.setStatusCode(operation.refusal());
	}

}
