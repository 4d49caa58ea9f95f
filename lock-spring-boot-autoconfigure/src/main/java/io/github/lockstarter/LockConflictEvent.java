package io.github.lockstarter;

/**
 * Published to the application when a call of a method annotated with
 * {@code @ExclusiveRequest} was refused because its lock is held. A refusal by a
 * {@link LockRegistry} that code asks itself is not published.
 * <p>
 * The event is published after the refusal, on a thread of its own: without the request,
 * the transaction and the trace of the call. If listeners are slow, some 1,000 events
 * wait for them; further ones are dropped, which is logged.
 * <p>
 * It is published only if the application has a listener for this type when its context
 * has been refreshed. A listener for every event, as for {@link Object} or
 * {@link org.springframework.context.PayloadApplicationEvent}, does not count, and
 * neither does one that is registered later.
 *
 * @param key the lock
 * @param reason why the call was refused
 */
public record LockConflictEvent(LockKey key, LockConflictException.Reason reason) {

}
