package io.github.lockstarter.registry.simulation;

/**
 * Thrown when an invariant does not hold.
 */
final class InvariantViolation extends AssertionError {

	InvariantViolation(String message) {
		super(message);
	}

	InvariantViolation(String message, Throwable cause) {
		super(message, cause);
	}

}
