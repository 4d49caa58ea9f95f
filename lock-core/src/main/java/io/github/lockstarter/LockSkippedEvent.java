package io.github.lockstarter;

/**
 * Published when a call of a method annotated with {@code @ExclusiveRequest} was skipped
 * because its lock is held. It is published under the same conditions and on the same
 * kind of thread as a {@link LockConflictEvent}.
 *
 * @param key the lock
 * @param method the method, as in {@code com.example.Reports.nightly}
 */
public record LockSkippedEvent(LockKey key, String method) {

}
