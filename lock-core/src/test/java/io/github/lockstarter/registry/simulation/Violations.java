package io.github.lockstarter.registry.simulation;

import org.jspecify.annotations.Nullable;

/**
 * Keeps the first violated invariant, because the engine may catch an exception at the
 * place where it is detected.
 */
final class Violations {

	private @Nullable InvariantViolation first;

	void report(InvariantViolation violation) {
		if (this.first == null) {
			this.first = violation;
		}
	}

	@Nullable InvariantViolation first() {
		return this.first;
	}

}
