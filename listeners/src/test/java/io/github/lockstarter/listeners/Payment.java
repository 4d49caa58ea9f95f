package io.github.lockstarter.listeners;

/**
 * The payload of a message.
 *
 * @param id the sender's, the same in each duplicate
 */
record Payment(String id, String account, long amount) {

}
