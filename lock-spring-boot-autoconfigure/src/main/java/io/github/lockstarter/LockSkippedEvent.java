package io.github.lockstarter;

/**
 * Published to the application when a call of a method annotated with
 * {@code @ExclusiveRequest} was skipped because its lock is held. For how and when it is
 * published, the same holds as for a {@link LockConflictEvent}.
 *
 * @param key the lock
 * @param method the method, as in {@code com.example.Reports.nightly}
 */
public record LockSkippedEvent(LockKey key, String method) {

}
