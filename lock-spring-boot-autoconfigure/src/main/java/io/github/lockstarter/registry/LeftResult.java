package io.github.lockstarter.registry;

import io.github.lockstarter.store.ResultSlot;

/**
 * What a holder leaves to those who want it instead of the lock.
 *
 * @param slot who wants it
 * @param text the result
 */
record LeftResult(ResultSlot slot, String text) {

}
