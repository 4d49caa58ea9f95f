package io.github.lockstarter.store;

/**
 * What a holder leaves to those who want it instead of the lock.
 *
 * @param slot who wants it
 * @param text the result
 * @param fencingToken the one that the store granted the lock with
 */
public record LeftResult(ResultSlot slot, String text, long fencingToken) {

}
