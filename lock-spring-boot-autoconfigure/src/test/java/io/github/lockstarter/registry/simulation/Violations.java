package io.github.lockstarter.registry.simulation;

import org.jspecify.annotations.Nullable;

/**
 * Keeps the first invariant that was violated: where it is noticed, the engine may catch
 * what is thrown.
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
