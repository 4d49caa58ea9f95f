package io.github.lockstarter.store;

/**
 * A result that a holder stores for the callers that want it instead of the lock.
 *
 * @param key which result it is
 * @param text the result
 * @param fencingToken no less than any that was reported of the holder, and less than any
 * that is reported of a later one
 */
public record StoredResult(ResultKey key, String text, long fencingToken) {

}
