package io.github.lockstarter;

/**
 * Published when a call of a method annotated with {@code @ExclusiveRequest} was rejected
 * because its lock is held. Rejections by a {@link LockRegistry} or an
 * {@link IdempotencyRegistry} that the application calls directly are not published.
 * <p>
 * The event is published after the rejection, on a thread that no caller needs. Listeners
 * have no access to the request, the transaction and the trace of the call. If listeners
 * are slow, about 1,000 events are queued. Further events are dropped, which is logged
 * and counted.
 * <p>
 * The event is published only if the application has a listener for this type when its
 * context has been refreshed. A listener that is registered later does not count. Neither
 * does a listener for all events, as for {@link Object} or
 * {@link org.springframework.context.PayloadApplicationEvent}.
 *
 * @param key the lock
 * @param reason why the call was rejected
 */
public record LockConflictEvent(LockKey key, LockConflictException.ConflictReason reason) {

}
