package io.github.lockstarter.operation;

import java.util.function.Function;

/**
 * The settings of the operator for annotated methods.
 *
 * @param named the settings of {@code lock.names}, by the name of the lock
 * @param defaults the settings of {@code lock}, which have the lowest precedence
 * @param replay the settings of {@code lock.replay}
 * @param maxKeys the largest number of locks of a call
 */
public record OperationSettings(Function<String, LockSettings> named, LockSettings defaults, ReplaySettings replay,
		int maxKeys) {
}
