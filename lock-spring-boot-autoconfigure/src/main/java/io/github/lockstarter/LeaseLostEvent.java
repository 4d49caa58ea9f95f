package io.github.lockstarter;

/**
 * Published when a lease was lost: it ended before it was released. The work of its
 * holder may have overlapped with the work of the next holder.
 *
 * @param key the lock
 * @param fencingToken the token of the lease that was lost
 */
public record LeaseLostEvent(LockKey key, long fencingToken) {

}
