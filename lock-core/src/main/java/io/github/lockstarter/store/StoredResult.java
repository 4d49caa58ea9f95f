package io.github.lockstarter.store;

/**
 * A result that a holder stores for callers that accept it instead of the lock.
 *
 * @param key identifies the result
 * @param text the result
 * @param fencingToken at least every fencing token that was reported for the holder, and
 * less than every one that is reported for a later holder
 */
public record StoredResult(ResultKey key, String text, long fencingToken) {

}
