package io.github.lockstarter;

/**
 * Published to the application when a lease ended before it was released, so that the
 * work under it may have overlapped with the next holder's.
 *
 * @param key the lock
 * @param fencingToken the token of the lease that was lost
 */
public record LeaseLostEvent(LockKey key, long fencingToken) {

}
