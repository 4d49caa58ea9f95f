package io.github.lockstarter.registry.simulation;

/**
 * Something that must never happen did.
 */
final class InvariantViolation extends AssertionError {

	InvariantViolation(String message) {
		super(message);
	}

	InvariantViolation(String message, Throwable cause) {
		super(message, cause);
	}

}
