package io.github.lockstarter;

/**
 * Published when a lease was lost: it ended before it was released. The work of its
 * holder may have overlapped with the work of the next holder.
 * <p>
 * The event is never dropped. It is published on a thread that no caller needs, so
 * listeners may block: they delay no lock and no caller, and no other event unless
 * hundreds of them block.
 *
 * @param key the lock
 * @param fencingToken the token of the lease that was lost
 */
public record LeaseLostEvent(LockKey key, long fencingToken) {

}
