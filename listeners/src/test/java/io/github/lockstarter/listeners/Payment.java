package io.github.lockstarter.listeners;

/**
 * A message.
 *
 * @param id the sender's, the same in each duplicate
 */
record Payment(String id, String account, long amount) {

}
