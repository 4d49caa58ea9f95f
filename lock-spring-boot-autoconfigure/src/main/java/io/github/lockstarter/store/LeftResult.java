package io.github.lockstarter.store;

/**
 * What a holder leaves to those who want it instead of the lock.
 *
 * @param slot who wants it
 * @param text the result
 * @param fencingToken no less than any that was told of the holder, and less than any
 * that is told of a later one
 */
public record LeftResult(ResultSlot slot, String text, long fencingToken) {

}
